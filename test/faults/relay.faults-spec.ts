import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { KeptRequests } from '../../src/cli/relay/kept-requests.ts';
import { HOOKS } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { askAt } from '../support/http-question.ts';
import { ServiceProcess } from '../support/service-process.ts';
import type { JournalRecord } from './journal.ts';
import { ROUNDS, tell } from './rounds.ts';
import { Shim } from './shim.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import type { Survival } from './simulated-disk.ts';
import { smallDisk } from './small-disk.ts';

const OPERATOR = 'the-operator-token-of-the-tests';
const TOKEN = 'the-hook-token-of-the-tests';
const KEPT = { status: 200, body: { ok: true, kept: true } };

let scratch: string;
let port: number;
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'hooks-relay-'));
  port = await freePort();
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

async function startRelay(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const args = [HOOKS, 'relay', '--keep', '64', '--port', String(port)];
  const relay = new ServiceProcess(cwd, env, process.execPath, args);
  await eventually('the relay listens', () => {
    if (relay.hasEnded) throw new Error(relay.stderr);
    return relay.stdout.includes('Relaying');
  });
  return relay;
}

/** A wake, which has no key of its own. */
function wake(text: string) {
  const sent = { method: 'POST', token: TOKEN, body: { text }, isDocumented: false };
  return askAt(`http://127.0.0.1:${port}`, '/hooks/wake', sent);
}

it(
  `kill -9 of a relay that keeps, ${ROUNDS} rounds: all that was answered 200 is one event`,
  async () => {
    using dir = new ConfigDirectory().write('gateway.json5', {
      gateway: { auth: { token: OPERATOR }, port: 0 },
      hooks: { enabled: true, token: TOKEN },
      agents: { defaults: { runner: { type: 'demo' } } },
    });
    await using service = await ServiceProcess.listening(dir.path);
    const file = join(scratch, 'relay-secret');
    let relay = await startRelay(scratch);
    const args = ['listen', '--relay', `http://127.0.0.1:${port}`, '--secret-file', file];
    const listens = () => new ServiceProcess(dir.path, {}, process.execPath, [HOOKS, ...args]);
    let listener: ServiceProcess | undefined;
    const promised: string[] = [];
    const isOver = new AbortController();
    const sending = Array.from({ length: 4 }, async (_, sender) => {
      for (let n = 0; !isOver.signal.aborted; n += 1) {
        const answered = await wake(`${sender}-${n}`).catch(() => undefined);
        if (answered?.status === 200) promised.push(`${sender}-${n}`);
        await delay(20);
      }
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = promised.length;
      // Kills while it keeps, while it hands on, and while it does both.
      if (round % 3 === 1) listener ??= listens();
      else if (round % 3 === 2) await listener?.stop().then(() => (listener = undefined));
      await eventually('some are promised', () => promised.length >= before + 10);
      await delay(Math.random() * 300);
      relay.signal('SIGKILL');
      await relay.ended();
      relay = await startRelay(scratch);
    }
    isOver.abort();
    await Promise.all(sending);
    listener ??= listens();
    const kept = join(scratch, 'relay-kept');
    await eventually('all of it is handed on', () => readdirSync(kept).length === 0);
    const texts: string[] = [];
    for (let cursor = ''; ;) {
      const page = await service.ask(`/ops/api/events?limit=200${cursor}`, { token: OPERATOR });
      const events = page.body['events'] as { headline: string }[];
      texts.push(...events.map(({ headline }) => /\d+-\d+/.exec(headline)?.[0] ?? headline));
      if (typeof page.body['nextCursor'] !== 'string') break;
      cursor = `&cursor=${page.body['nextCursor']}`;
    }
    const counts = Map.groupBy(texts, (text) => text);
    const many = promised.filter((text) => (counts.get(text)?.length ?? 0) > 1);
    expect({ lost: promised.filter((text) => !counts.has(text)), many }).toEqual({
      lost: [],
      many: [],
    });
    tell(`${ROUNDS} kills, ${promised.length} promises`);
    await listener.stop();
    await relay.stop();
    await service.stop();
  },
  ROUNDS * 20_000 + 200_000,
);

it('a full disk: 503, nothing half written, and what was kept before is kept', async () => {
  using disk = smallDisk(scratch);
  await using relay = await startRelay(disk.dir, disk.env);
  expect(await wake('before')).toMatchObject(KEPT);
  disk.fill();
  const away = { status: 503, body: { code: 'listener_away' }, headers: { 'retry-after': '30' } };
  expect(await wake('x'.repeat(9000))).toMatchObject(away);
  expect(readdirSync(join(disk.dir, 'relay-kept'))).toHaveLength(1);
  disk.free();
  expect(await wake('after')).toMatchObject(KEPT);
  expect(readdirSync(join(disk.dir, 'relay-kept'))).toHaveLength(2);
  const { stderr } = await relay.stop();
  expect(stderr.match(/cannot be kept \(ENOSPC\)/g)).toHaveLength(1);
});

const DISKS: readonly (readonly [string, Survival])[] = [
  ['leaves nothing that was not fsynced', () => false],
  ['leaves some sectors of what was not fsynced', () => Math.random() < 0.5],
];

describe('a power cut', () => {
  const PROMISES = 20;

  /** What a relay does to its disk while it keeps so many requests, until it is killed. */
  async function record(): Promise<JournalRecord[]> {
    const shim = new Shim(join(scratch, 'relay-kept'), scratch);
    const relay = await startRelay(scratch, shim.journaling);
    for (let n = 0; n < PROMISES; n += 1) expect(await wake(`wake ${n}`)).toMatchObject(KEPT);
    relay.signal('SIGKILL');
    await relay.ended();
    return shim.journal();
  }

  /** What is left at each moment, and how much of it is broken: the texts of what is kept, the first so many promised. */
  async function* cutsOf(journal: readonly JournalRecord[], survives: Survival) {
    const disk = new SimulatedDisk(join(scratch, 'relay-kept'), survives);
    let promised = 0;
    for (const [cut, one] of journal.entries()) {
      disk.apply(one);
      if (one.kind === 'answer') promised += 1;
      const left = join(scratch, `cut-${cut}`);
      disk.writeTo(left);
      const broken: string[] = [];
      const kept = await KeptRequests.open(left, 1 << 26, (line) => broken.push(line));
      const bodies = await Promise.all([...kept.waiting].map((each) => kept.read(each)));
      const texts = bodies.map(({ body }): string => JSON.parse(body.toString()).text);
      yield { promised, broken, texts: texts.slice(0, promised) };
      rmSync(left, { recursive: true });
    }
  }

  it('would be noticed if the relay did not wait for its disk', async () => {
    const lie = (await record()).filter(({ kind }) => kind !== 'fsync-end');
    const lost: number[] = [];
    for await (const { promised, texts } of cutsOf(lie, () => false))
      lost.push(promised - texts.length);
    expect(Math.max(...lost)).toBe(PROMISES);
  });

  it.each(DISKS)('at any moment, that %s: what was answered 200 is kept', async (_, survives) => {
    let most = 0;
    for await (const { promised, broken, texts } of cutsOf(await record(), survives)) {
      most = promised;
      const all = Array.from({ length: promised }, (_unused, n) => `wake ${n}`);
      expect({ broken, texts }).toEqual({ broken: [], texts: all });
    }
    expect(most).toBe(PROMISES);
  });
});
