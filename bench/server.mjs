// Servers as processes of their own, and what they cost, read from /proc.
import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const MICROS_PER_TICK = 10_000;
const START_TIMEOUT_MS = 120_000;

/** Ended with this process, however it ends by itself. */
const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class Server {
  #process;
  #ownDir;
  #output;

  constructor(child, { dir, ownDir, output }) {
    this.#process = child;
    this.#ownDir = ownDir;
    this.#output = output;
    this.pid = child.pid;
    this.dir = dir;
    this.url = '';
  }

  /**
   * Starts a script that says where it listens, and waits until it has.
   * @param files written into the directory that it runs in and that the gateway takes its configuration from.
   * @param dir absent: a temporary one, removed when the server is stopped.
   */
  static async start(name, script, { env = {}, ...rest } = {}) {
    const command = [process.execPath, script];
    const server = Server.#spawn(name, command, { env: { GATEWAY_PORT: '0', ...env }, ...rest });
    await server.#until(name, () => {
      const text = readFileSync(server.#output, 'utf8');
      const port = /(?:127\.0\.0\.1:|listening on )(\d+)/.exec(text)?.[1];
      if (port !== undefined) server.url = `http://127.0.0.1:${port}`;
      return port !== undefined;
    });
    return server;
  }

  /** Starts any program on a port that it was told, and waits until `isReady(url)`. */
  static async startOn(port, name, command, { isReady, ...rest }) {
    const server = Server.#spawn(name, command, rest);
    server.url = `http://127.0.0.1:${port}`;
    await server.#until(name, () => isReady(server.url));
    return server;
  }

  static #spawn(name, [command, ...args], { dir, files = {}, env = {} }) {
    // Into a file: a pipe would make this process, which also measures, read every line of the log.
    const ownDir = mkdtempSync(join(tmpdir(), 'hooks-bench-'));
    const cwd = dir ?? ownDir;
    for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
    const output = join(ownDir, `${name}.log`);
    const log = openSync(output, 'a');
    const child = spawn(command, args, {
      cwd,
      env: { PATH: process.env.PATH, GATEWAY_CONFIG_DIR: cwd, ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    running.add(child);
    child.once('exit', () => running.delete(child));
    child.on('error', (error) => writeFileSync(output, String(error)));
    return new Server(child, { dir: cwd, ownDir, output });
  }

  async #until(name, isReady) {
    const end = performance.now() + START_TIMEOUT_MS;
    while (!(await isReady())) {
      const { exitCode, pid } = this.#process;
      if (exitCode === null && pid !== undefined && performance.now() < end) {
        await delay(2);
        continue;
      }
      const text = readFileSync(this.#output, 'utf8').slice(-2000);
      await this.stop();
      throw new Error(`${name} did not start: ${text}`);
    }
  }

  /** CPU time so far of all threads, and of the processes that it started and that have ended, in microseconds. */
  cpuMicros() {
    const [user, system, usersOfChildren, systemOfChildren] = ticks(`/proc/${this.pid}/stat`);
    return (user + system + usersOfChildren + systemOfChildren) * MICROS_PER_TICK;
  }

  /** CPU time so far by the name of its threads, in microseconds. */
  threads() {
    const byName = new Map();
    for (const id of readdirSync(`/proc/${this.pid}/task`)) {
      const file = `/proc/${this.pid}/task/${id}/stat`;
      const thread = Number(id) === this.pid ? 'main' : nameIn(file);
      const [user, system] = ticks(file).map((count) => count * MICROS_PER_TICK);
      const sum = byName.get(thread) ?? { user: 0, system: 0 };
      byName.set(thread, { user: sum.user + user, system: sum.system + system });
    }
    return byName;
  }

  /** Memory that is resident now, in MB of 2^20 bytes. */
  residentMb() {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
  }

  /** The most that was ever resident, in MB of 2^20 bytes. */
  peakMb() {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)[1]) / 1024;
  }

  /** How many processes that it started are alive. */
  children() {
    const tasks = readdirSync(`/proc/${this.pid}/task`);
    const lists = tasks.map((id) => readFileSync(`/proc/${this.pid}/task/${id}/children`, 'utf8'));
    return lists.join(' ').split(' ').filter(Boolean).length;
  }

  /** Bytes written so far to storage, without the log. */
  writtenBytes() {
    const io = readFileSync(`/proc/${this.pid}/io`, 'utf8');
    return Number(/^write_bytes: (\d+)/m.exec(io)[1]) - statSync(this.#output).size;
  }

  /** @param beforeRemoval looks at what the ended server left in its directory. */
  async stop(signal = 'SIGKILL', beforeRemoval = () => {}) {
    const child = this.#process;
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await ended;
    }
    beforeRemoval();
    rmSync(this.#ownDir, { recursive: true });
  }
}

function nameIn(file) {
  const text = readFileSync(file, 'utf8');
  return text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
}

/** User and system time, then both of the children that were waited for. */
function ticks(file) {
  const text = readFileSync(file, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}
