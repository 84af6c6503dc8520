// docs/benchmarks.md: what was measured, on which machine, how, and what could not be.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import * as prettier from 'prettier';
import { GENERATOR } from '../load.mjs';
import { HERE } from '../services.mjs';
import { percent } from './chart.mjs';

const OURS = 'nestjs-agent-hooks';
/** As multiples of what {@link GOAL_PEER} takes, by the number of connections. */
const GOALS = { 16: 0.9, 64: 0.75 };
const GOAL_PEER = { name: 'OpenClaw', version: '2026.3.2' };

// Looked at before the run changes them.
const [LOAD_BEFORE] = readFileSync('/proc/loadavg', 'utf8').split(' ');
const COMMIT = commit();
const BUSY =
  Number(LOAD_BEFORE) > 1
    ? ' The machine was busy with other things during this run, so even they are rough.'
    : '';

function commit() {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: HERE });
  return String(stdout).trim() || 'unknown';
}

/** @param prepared all programs, also those that could not be had. @returns Markdown as the project formats it. */
export async function writePage(prepared, run) {
  const running = prepared.filter(({ byConnections }) => byConnections !== undefined);
  const text = [
    introduction(run),
    '## CPU per accepted request',
    cpuTable(running, run),
    goals(running),
    '## Latency and rate',
    latencyTable(running, run),
    '## What a 200 is worth',
    survivalTable(running),
    missing(prepared),
    howItIsMeasured(run),
    machine(),
  ].join('\n\n');
  const path = join(HERE, 'docs/benchmarks.md');
  return prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
}

function introduction({ options }) {
  return `# Benchmarks

<!-- written by \`npm run bench:peers\`; edit bench/peers/page.mjs -->

What one accepted webhook costs, here and in other programs that take webhooks, and what is left of it when the program is killed. All figures are of one run of

\`\`\`sh
npm run bench:peers -- ${options}
\`\`\`

Only the ratios within one run mean anything on another machine.${BUSY}`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function nameOf({ program, version }) {
  const name = `${program.name} ${version}`;
  return program.name === OURS ? `**${name}**` : name;
}

function cpuTable(running, { connections }) {
  const [floor] = running;
  const head = ['Program', ...connections.map(inConnections), 'Memory afterwards'];
  const rows = running.map((it) => [
    nameOf(it),
    ...connections.map((count) => {
      const { cpu } = it.byConnections.get(count);
      const ratio = cpu / floor.byConnections.get(count).cpu;
      return `${cpu.toFixed(1)} µs (${ratio.toFixed(2)} ×)`;
    }),
    `${it.residentMb.toFixed(0)} MB`,
  ]);
  return `Of all threads, and of the programs that were started for a request; in brackets the multiple of a bare Fastify.\n\n${table(head, rows)}`;
}

function inConnections(count) {
  return `${count} ${count === 1 ? 'connection' : 'connections'}`;
}

function goals(running) {
  const ours = running.find(({ program }) => program.name === OURS);
  const peer = running.find(
    ({ program, version }) => program.name === GOAL_PEER.name && version === GOAL_PEER.version,
  );
  const reached = Object.entries(GOALS).flatMap(([count, goal]) => {
    const [mine, theirs] = [ours, peer].map((it) => it?.byConnections.get(Number(count))?.cpu);
    if (mine === undefined || theirs === undefined) return [];
    const ratio = mine / theirs;
    const verdict = ratio <= goal ? 'reached' : 'missed';
    return [
      `${ratio.toFixed(2)}\u00a0× at ${count} connections (${verdict}: at most ${goal}\u00a0×)`,
    ];
  });
  if (reached.length === 0) return '';
  return `The goal is to cost less than ${GOAL_PEER.name} ${GOAL_PEER.version}, which keeps requests in memory, although every request here is on disk before its sender is answered: ${reached.join('; ')}.`;
}

function latencyTable(running, { connections }) {
  const head = ['Program', ...connections.map((count) => `${inConnections(count)}: p50 / p99`)];
  const rows = running.map((it) => [
    nameOf(it),
    ...connections.map((count) => {
      const { p50, p99, rate } = it.byConnections.get(count);
      return `${p50.toFixed(2)} / ${p99.toFixed(1)} ms, ${Math.round(rate).toLocaleString('en')} /s`;
    }),
  ]);
  return table(head, rows);
}

function survivalTable(running) {
  const head = ['Program', 'A 200 means', 'Answered 200 until `kill -9`', 'Still there'];
  const rows = running.map(({ program, survival, ...it }) => [
    nameOf({ program, ...it }),
    program.does,
    survival ? survival.accepted.toLocaleString('en') : '—',
    survival ? `${survival.kept.toLocaleString('en')} (${percent(survival)})` : '—',
  ]);
  return `Sixteen senders post one numbered request after the other; the process is killed with \`kill -9\` under this load and started again on the same directory. Here each event is asked for by the id in its answer. Elsewhere its number is looked for in every file below the program's directory, which finds more than the program itself may know of. A dead process is not a power cut: what was written without an fsync still counts as kept.\n\n${table(head, rows)}`;
}

function missing(prepared) {
  const absent = prepared.filter(({ reason }) => reason !== undefined);
  if (absent.length === 0) return '';
  const items = absent.map(({ program, reason }) => `- ${program.name}: \`${reason}\``);
  return `## Not measured\n\nThese could not be had on this machine:\n\n${items.join('\n')}`;
}

function howItIsMeasured({ seconds }) {
  return `## How it is measured

- One authorized \`POST /hooks/wake\` of 300 bytes for the next heartbeat, each with a text of its own, as some of the programs leave out what repeats. Load by ${GENERATOR} on the same machine.
- The programs run side by side and take turns: ${seconds} s each and as many times as \`--rounds\` says; the figures are medians. Before that each has settled after its start and was warmed up.
- CPU is what the kernel counts for the process until it has nothing left to do, also for what it does after its answers: \`webhook\` answers first and then starts its program. The rate is that of a machine that also makes the load.
- The floors do none of the work: a bare Fastify that parses the JSON, and a bare Nest controller behind a guard that compares a token.
- OpenClaw runs with everything off but its hooks, without the library of its WhatsApp channel. Its queue keeps the newest system events of a session in memory, 20 in 2026.3.2, and lets older ones go. Node-RED runs without its editor. Node programs run on ${process.version}.
- The other programs do other things well; this page compares what they have in common with this one, taking a webhook.`;
}

function machine() {
  const [{ model }] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB of memory`;
  const date = new Date().toISOString().slice(0, 10);
  return `## The machine\n\n${table(
    ['', ''],
    [
      ['Date', date],
      ['Commit', COMMIT],
      ['Processor', `${model}, ${cpus().length} cores, ${memory}`],
      ['Kernel', `Linux ${release()}`],
      ['Disk', disk()],
      ['Load before the run', `${LOAD_BEFORE} (one minute's average)`],
    ],
  )}`;
}

/** File system and device of the temporary directory, where all of them keep their state. */
function disk() {
  const { stdout } = spawnSync('findmnt', ['-no', 'FSTYPE,SOURCE,SIZE', '-T', '/tmp']);
  return String(stdout).trim().split(/\s+/).join(', ') || 'unknown';
}
