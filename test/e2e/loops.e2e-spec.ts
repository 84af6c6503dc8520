import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { webhook } from '../../src/channels.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { sqliteLedger } from '../../src/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { RecordingChannel } from '../support/recording.ts';
import { ScriptedServer } from '../support/scripted-server.ts';

type Mapping = NonNullable<HooksModuleOptions['mappings']>[number];

const CHAT: Mapping = {
  id: 'chat',
  messageTemplate: '{{ user }} wrote: {{ text }}',
  wakeMode: 'next-heartbeat',
  sessionKey: 'chat:1',
};
const HELD = 'caused by our own replies, 4 in a row: a loop, held';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const DAY = 24 * 3_600_000;

describe('loops of our own replies (behaviour.md §16)', () => {
  let server: ScriptedServer;
  let clock: ManualClock;
  let operator: RecordingChannel;
  let all: Hooks[];
  beforeEach(async () => {
    clock = new ManualClock();
    operator = new RecordingChannel('chan_2', []);
    all = [];
    server = new ScriptedServer(() => ({ status: 204, headers: {}, chunks: [] }));
    await server.listen();
  });
  afterEach(async () => {
    for (const hooks of all.splice(0)) await hooks.close();
    await server.close();
  });

  async function start(
    more: Partial<Mapping> = {},
    options: Partial<HooksModuleOptions> = {},
  ): Promise<Hooks> {
    const url = `${server.origin}/messages`;
    const provider = webhook({ url, secrets: [SECRET], allowPrivate: true });
    const notify = { channel: 'chan_2', to: 'operator' } as const;
    const hooks = await Hooks.start({
      agents: { defaults: { heartbeat: { every: '0m' }, notify } },
      channels: { chan_1: { provider, to: 'desk' }, chan_2: { provider: operator } },
      clock,
      mappings: [{ ...CHAT, ...more }],
      ...options,
    });
    all.push(hooks);
    return hooks;
  }

  /** @param round that the sender says: what was passed on to it, or what it invents */
  const send = async (hooks: Hooks, text: string, round?: string): Promise<string> => {
    const headers: Record<string, string> = round === undefined ? {} : { 'hooks-round': round };
    const { status, eventId } = await hooks.ask('/chat', { user: 'somebody', text }, headers);
    expect(status).toBe(200);
    return String(eventId);
  };
  const stands = (hooks: Hooks, eventId: string, status: string): Promise<EventDetails> =>
    eventually(`the run is ${status}`, async () => {
      const details = await hooks.details(eventId);
      return details.runs[0]?.status === status && details;
    });
  /** What the newest reply says of its round, once it was sent. */
  const passedOn = async (hooks: Hooks, eventId: string): Promise<string> => {
    expect(await hooks.ended(eventId)).toMatchObject({ status: 'done' });
    return String(server.requests.at(-1)?.headers['hooks-round']);
  };
  /** Each reply is an event of the next of these services. @returns the last event */
  const goRound = async (services: readonly Hooks[], rounds: number): Promise<string> => {
    let eventId = await send(services[0]!, 'is anybody there?');
    for (let round = 0; round < rounds; round += 1) {
      const passed = await passedOn(services[round % services.length]!, eventId);
      eventId = await send(services[(round + 1) % services.length]!, `answer ${round}`, passed);
    }
    return eventId;
  };
  const decide = async (hooks: Hooks, eventId: string, verdict: 'approved' | 'denied') => {
    const admin = hooks.app.get(LedgerAdmin);
    const wait = (await admin.waits({ limit: 9 })).waits.find((one) => one.eventId === eventId);
    return admin.decide(wait!.id, { verdict, by: 'operator ana', at: clock.now() });
  };

  it('holds the run of the fourth round, says so, and lets others go on', async () => {
    const hooks = await start();
    const eventId = await goRound([hooks], 4);
    expect((await stands(hooks, eventId, 'waiting')).runs[0]!.error).toBe(HELD);
    expect(hooks.runner.turns).toHaveLength(4);
    const admin = hooks.app.get(LedgerAdmin);
    expect(await admin.waiting()).toMatchObject([{ hook: 'chat', cause: 'loop', count: 1 }]);
    const told = await eventually('the operator is asked', () => operator.messages[0]);
    expect(told.text).toContain(
      `chat would begin a run of the agent main with this message (${HELD})`,
    );
    // Others of the session are not behind it, and begin a row of their own.
    expect(await passedOn(hooks, await send(hooks, 'and my invoice?'))).toBe('1');
    expect(await decide(hooks, eventId, 'approved')).toBe('decided');
    expect(await passedOn(hooks, eventId)).toBe('1');
  });

  it('holds what goes round between two services', async () => {
    const services = [await start(), await start()];
    const eventId = await goRound(services, 4);
    await stands(services[0]!, eventId, 'waiting');
    expect(services.map(({ runner }) => runner.turns.length)).toEqual([2, 2]);
    expect(await decide(services[0]!, eventId, 'denied')).toBe('decided');
    expect((await services[0]!.ended(eventId)).runs).toMatchObject([{ status: 'denied' }]);
  });

  it('given up when nobody decides, it can be retried and is asked about again', async () => {
    const hooks = await start();
    const eventId = await goRound([hooks], 4);
    await stands(hooks, eventId, 'waiting');
    clock.advance(DAY);
    const { status, runs } = await hooks.ended(eventId);
    expect([status, runs[0]?.error]).toEqual(['failed', 'nobody decided in time']);
    expect(await hooks.retry(eventId)).toBe(1);
    expect((await stands(hooks, eventId, 'waiting')).runs[0]?.error).toBe(HELD);
  });

  it('never holds people, however long they talk and whatever they quote', async () => {
    const hooks = await start();
    for (let times = 0; times < 8; times += 1) {
      const quoted = `> ${hooks.runner.turns.length === 0 ? 'hello' : 'the reply'}\n\nok`;
      expect(await passedOn(hooks, await send(hooks, quoted))).toBe('1');
    }
    expect(hooks.runner.turns).toHaveLength(8);
  });

  it('counts anew where a person decides about each reply', async () => {
    const hooks = await start({ approve: 'reply' });
    const eventId = await send(hooks, 'once more', '3');
    await stands(hooks, eventId, 'waiting');
    expect(await decide(hooks, eventId, 'approved')).toBe('decided');
    expect(await passedOn(hooks, eventId)).toBe('1');
  });

  it.each(['x', '0', '-1', '04', '100', '4, 4', '9'.repeat(400)])(
    'takes no heed of a round that is none: %.20s',
    async (round) => {
      const hooks = await start();
      expect(await passedOn(hooks, await send(hooks, 'hello', round))).toBe('1');
    },
  );

  it('holds nobody else’s event for what a stranger says, gathered with it or not', async () => {
    const hooks = await start({ collect: { for: '1m', scope: 'mapping' } });
    const forged = await send(hooks, 'mine', '99');
    const other = await send(hooks, 'the disk is full');
    await stands(hooks, forged, 'waiting');
    clock.advance(60_000);
    expect(await passedOn(hooks, forged)).toBe('1');
    expect((await hooks.details(other)).runs).toMatchObject([{ status: 'collected' }]);
    const alone = await send(hooks, 'mine again', '99');
    clock.advance(60_000);
    await eventually('it is held', async () => {
      return (await hooks.details(alone)).runs[0]?.error?.endsWith('99 in a row: a loop, held');
    });
  });

  it('sends no message of a hook itself after three rounds', async () => {
    const told = { action: 'deliver', channel: 'chan_1', to: 'desk' } as const;
    const hooks = await start({ ...told, wakeMode: undefined, sessionKey: undefined });
    const eventId = await goRound([hooks], 3);
    expect(await passedOn(hooks, eventId)).toBe('4');
    const last = await hooks.ended(await send(hooks, 'once more', '4'));
    const error = 'caused by our own replies, 4 in a row: a loop';
    expect(last.deliveries).toMatchObject([{ status: 'skipped', error }]);
    expect(server.requests).toHaveLength(4);
  });

  describe('a run that the build before has held', () => {
    let dir: string;
    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'hooks-'));
    });
    afterEach(() => rmSync(dir, { recursive: true }));

    const BEFORE = 'it repeats our reply of 20 s before, for the 4th time in a row: a loop, held';
    /** As it was stored: its job names no round, and of the replies there are digests. */
    function asStoredBefore(runId: string): void {
      using db = new DatabaseSync(join(dir, 'ledger.db'));
      const row = db.prepare('SELECT id, job FROM work WHERE ref = ?').get(runId)!;
      const { round: _round, ...job } = JSON.parse(String(row['job'])) as Record<string, unknown>;
      const stored = JSON.stringify({ ...job, loop: BEFORE });
      db.prepare('UPDATE work SET job = ? WHERE id = ?').run(stored, Number(row['id']));
      db.prepare('UPDATE runs SET error = ? WHERE status = ?').run(BEFORE, 'waiting');
      const rounds = JSON.stringify({ counts: { chat: 3 }, around: {}, began: [] });
      db.prepare('INSERT INTO replies VALUES (?, 1, ?, 3, 0, 1, ?)').run(
        runId,
        clock.now(),
        rounds,
      );
      db.prepare('INSERT INTO reply_marks VALUES (?, ?, 1, ?)').run('a mark', runId, clock.now());
    }
    const leftover = (): unknown => {
      using db = new DatabaseSync(join(dir, 'ledger.db'), { readOnly: true });
      const marks = 'SELECT count(*) FROM reply_marks';
      return db.prepare(`SELECT (${marks}) + count(*) AS rows FROM replies`).get()?.['rows'];
    };

    it.each([
      ['approved', 'done', 'succeeded', 1],
      ['denied', 'done', 'denied', 0],
    ] as const)('can be decided: %s', async (verdict, status, run, turns) => {
      const ledger = sqliteLedger({ dir });
      const before = await start({}, { ledger });
      const eventId = await send(before, 'once more', '4');
      const { runs } = await stands(before, eventId, 'waiting');
      await before.close();
      all.splice(0);
      asStoredBefore(runs[0]!.id);
      const hooks = await start({}, { ledger });
      expect((await hooks.details(eventId)).runs).toMatchObject([
        { status: 'waiting', error: BEFORE },
      ]);
      expect(await decide(hooks, eventId, verdict)).toBe('decided');
      expect(await hooks.ended(eventId)).toMatchObject({ status, runs: [{ status: run }] });
      expect(hooks.runner.turns).toHaveLength(turns);
      await eventually('what was kept of replies is forgotten', () => {
        clock.advance(60_000);
        return leftover() === 0;
      });
    });
  });
});
