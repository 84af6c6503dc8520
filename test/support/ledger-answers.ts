import type { Lane } from '../../src/hooks/ports/jobs.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { heartbeat, key, runOf } from '../contracts/ledger/events.ts';
import type { ManualClock } from './clocks.ts';
import type { FilledLedger } from './filled-ledger.ts';

const MINUTE_MS = 60_000;

export async function answers(
  ledger: Ledger,
  clock: ManualClock,
  {
    sessions,
    key: known,
    console,
    ids,
  }: Pick<FilledLedger, 'sessions' | 'key' | 'console' | 'ids'>,
) {
  const limits = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };
  const window = { from: clock.now() - 10 * MINUTE_MS, stepMs: MINUTE_MS, steps: 11 };
  return structuredClone({
    list: await ledger.events.list({ limit: 200 }),
    failed: await ledger.events.list({ limit: 200, status: 'failed' }),
    details: await Promise.all(ids.map((id) => ledger.events.get(id))),
    runs: await Promise.all(ids.map((id) => ledger.events.run(runOf(id)))),
    requests: await Promise.all(ids.map((id) => ledger.events.storedRequest(id))),
    uses: await ledger.events.hookUses(['wake', 'agent'], 0),
    sessions: await ledger.events.sessions({ limit: 100 }),
    session: await Promise.all(sessions.map((one) => ledger.events.session(one, { limit: 50 }))),
    contexts: await Promise.all(sessions.map((one) => ledger.sessions.context(one, limits))),
    routes: await Promise.all(sessions.map((one) => ledger.sessions.routes(one))),
    counts: (await ledger.admin.counts()).toSorted(byText),
    waits: await ledger.admin.waits({ limit: 100 }),
    dead: await ledger.admin.dead(),
    activity: await ledger.admin.activity(window),
    usage: await ledger.admin.usage({ by: 'model', days: 9 }),
    holder: await ledger.intake.holderOf(known),
    nobody: await ledger.intake.holderOf(key('unknown')),
    certificates: await ledger.intake.certificates(),
    channels: await ledger.admin.channelConditions(),
    badEnds: await ledger.work.badEnds(10),
    refusals: await ledger.refusals.list({ limit: 100 }),
    refused: await ledger.refusals.countByHook(0),
    lost: await ledger.refusals.lost(0),
    console: await ledger.consoleSessions.find(console),
  });
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

export async function claims(ledger: Ledger, lane: Lane, clock: ManualClock) {
  const found: unknown[] = [];
  for (;;) {
    await ledger.work.add(heartbeat(`sentinel ${found.length}`, { lane, dueAt: clock.now() }));
    const leases = await ledger.work.claim(lane, 2, new AbortController().signal);
    found.push(...leases);
    if (leases.length < 2) return found;
    if (found.length > 50) throw new Error('there is no end to it');
  }
}

/** As PostgreSQL holds it. */
export function withoutNull<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === 'string' ? inner.replaceAll('\0', '\uFFFD') : inner,
    ),
  );
}
