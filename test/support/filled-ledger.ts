import type { Change } from '../../src/hooks/ports/change.ts';
import type { LedgerProvider } from '../../src/hooks/ports/ledger.ts';
import type { NewRefusal } from '../../src/hooks/ports/refusals.ts';
import {
  LIMITS,
  MAIN,
  agent,
  delivery,
  deliveryOf,
  event,
  heartbeat,
  key,
  runOf,
  systemEvent,
  turn,
  wake,
  wakeNow,
} from '../contracts/ledger/events.ts';
import { LedgerUnderTest } from '../contracts/ledger/store.ts';
import { newId } from '../../src/platform/new-id.ts';
import type { ManualClock } from './clocks.ts';
import { TOO_LARGE } from './refused.ts';

export interface FilledLedger {
  readonly ids: readonly string[];
  readonly sessions: readonly string[];
  readonly key: ReturnType<typeof key>;
  readonly keyed: string;
  readonly dead: string;
  readonly refusal: NewRefusal;
  readonly console: string;
}

/** A foreign text with what PostgreSQL cannot hold, and what some take for the end of a line. */
const NASTY = 'a\0b, naïve, 🚨, \u202e, \u2028, \r';

/** Fills a ledger with some of everything, through its ports; three steps are cut off by the end. */
export async function filledLedger(
  filled: LedgerProvider,
  clock: ManualClock,
): Promise<FilledLedger> {
  const ids: string[] = [];
  const under = await LedgerUnderTest.open(async () => ({
    provider: { open: () => filled.open(clock) },
    dispose: () => Promise.resolve(),
  }));
  const { ledger } = under;
  const accept = async (given: ReturnType<typeof event>) => {
    const { outcome } = await ledger.intake.accept(given, LIMITS);
    if (outcome !== 'accepted') throw new Error(outcome);
    ids.push(given.id);
    clock.advance(1);
    return given.id;
  };
  const claimed = async (lane: 'turn' | 'delivery' = 'turn') => {
    const [lease, ...more] = await under.claimNow(lane, 1);
    if (lease === undefined || more.length > 0) throw new Error('expected one piece of work');
    return lease;
  };
  const runWith = async (session: string, status: 'succeeded' | 'failed', more: Change[] = []) => {
    const id = await accept(agent(session));
    const update = {
      type: 'run-update',
      id: runOf(id),
      status,
      prompt: NASTY,
      reply: 'r',
    } as const;
    const note = { at: clock.now(), attempt: 1, outcome: status };
    const lease = await claimed();
    await ledger.work.commit(lease, { type: 'done' }, [
      { ...update, note, usage: { inputTokens: 1, outputTokens: 2 } } as Change,
      {
        type: 'usage',
        workId: lease.workId,
        of: { kind: 'run', hook: NASTY, agent: 'main', model: 'x/y', sender: 'token' },
        usage: { inputTokens: 1, outputTokens: 2 },
        cost: 3,
        meters: [],
      },
      ...more,
    ]);
    return id;
  };

  await accept(event({ payload: JSON.stringify({ text: NASTY }) }));
  await accept(event({ failure: 'the transform broke' }));
  await runWith('done', 'succeeded', [turn('agent:main:done', { prompt: NASTY })]);
  await runWith('failed', 'failed', [
    { type: 'bad-end', line: `a run failed: ${NASTY}`, eventId: ids[0]! },
    turn('agent:main:alone', { isIsolated: true }),
  ]);
  const dead = await accept(agent('dead'));
  await ledger.work.commit(await claimed(), { type: 'dead' }, [
    { type: 'run-update', id: runOf(dead), status: 'failed', error: 'no answer' },
  ]);
  // In parts, of which one is sent; another delivery was under way.
  const cut = await accept(agent('cut'));
  await ledger.work.commit(await claimed(), { type: 'done' }, [
    { type: 'run-update', id: runOf(cut), status: 'succeeded' },
    ...delivery(cut),
    systemEvent({
      eventId: cut,
      deliveryId: deliveryOf(cut),
      text: NASTY,
      session: 'agent:main:x',
    }),
    { type: 'route', session: MAIN, channel: 'chan_1', to: '42', at: clock.now() },
  ]);
  const whole = await claimed('delivery');
  await ledger.work.commit(
    whole,
    { type: 'cut', job: { ...whole.job, text: '' }, parts: ['one', 'two\0', 'three'] } as never,
    [],
  );
  await ledger.work.commit(await claimed('delivery'), { type: 'continue' }, []);

  await ledger.sessions.noteRoute('agent:main:x', { channel: 'chan_2', to: NASTY });
  await accept(wake());
  await accept(wakeNow());
  const known = key('known');
  const keyed = await accept(wake({ keys: [known, { ...key('second', NASTY) }] }));
  await ledger.work.add(heartbeat(MAIN, { dueAt: clock.now() + 60_000, once: true }));
  // A question that is open, and one that was decided; what was decided is under way again by the end.
  for (const session of ['asked', 'decided']) {
    const id = await accept(agent(session));
    const openedAt = clock.now();
    const until = openedAt + 3_600_000;
    const about = { kind: 'reply', owner: 'agent token', whenOver: 'deny' } as const;
    const recipient = { channel: 'chan_1', to: NASTY };
    const shown = { digest: 'of what was shown', code: `of the buttons of ${session}` };
    const wait = { id: newId(), ...about, ...shown, openedAt, until, recipient };
    const onEnd = session === 'asked' ? heartbeat(MAIN, { dueAt: openedAt }) : undefined;
    const outcome = { type: 'wait', for: 'decision', until, holdsKey: false, wait, onEnd } as const;
    await ledger.work.commit(await claimed(), outcome, [
      { type: 'run-update', id: runOf(id), status: 'waiting', reply: NASTY },
    ]);
    const decision = { verdict: 'approved', by: 'ana', at: openedAt, text: NASTY } as const;
    if (session === 'asked') continue;
    await ledger.admin.decide(wait.id, decision);
    await claimed();
  }
  // Waiting: three of one session, a later attempt, one that is cut off.
  await accept(agent('late'));
  await ledger.work.commit(await claimed(), { type: 'retry', at: clock.now() + 5000 }, []);
  await accept(agent('interrupted'));
  await claimed();
  await claimed('delivery');
  for (let n = 0; n < 3; n += 1) await accept(agent('queue'));
  await accept(agent('other', { hook: 'github', mapping: 'ci' }));
  const refusal: NewRefusal = { ...TOO_LARGE, at: clock.now() };
  await ledger.refusals.record([refusal, { ...refusal, kind: 'unverified', status: 401 }], []);
  const at = clock.now();
  const did = {
    at,
    actor: 'operator',
    client: null,
    operation: 'POST /ops/api/pause',
    subject: NASTY,
  };
  await ledger.admin.audit({ ...did, outcome: 'done', before: { paused: NASTY }, after: null });
  const lastError = { at, since: at, kind: 'auth', message: NASTY, restsUntil: null } as const;
  await ledger.work.noteChannels({ chan_3: { lastSuccessAt: at, lastError } });
  const address = 'https://certs.example/of-a-sender';
  await ledger.intake.keepCertificate({ address, pem: 'a certificate', fetchedAt: at });
  const startedAt = clock.now();
  await ledger.consoleSessions.start({ digest: 'd1', startedAt, endsAt: startedAt + 1e6 });
  const meter = { name: 'runs of m', most: 9, perMs: 3_600_000, amount: 1 };
  await ledger.work.reserve('a run', [meter]);
  await ledger.maintenance.close();
  const sessions = [MAIN, 'agent:main:x', 'agent:main:done', 'agent:main:alone', 'agent:main:no'];
  return { ids, sessions, key: known, keyed, dead, refusal, console: 'd1' };
}
