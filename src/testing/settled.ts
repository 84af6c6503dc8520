import { setTimeout as pause } from 'node:timers/promises';
import type { Abstract, INestApplicationContext } from '@nestjs/common';
import { EVENT_STATUSES, EventStore, LedgerAdmin, getHooksToken } from '../hooks/index.ts';

const LOOK_EACH_MS = 10;
/** Shorter than the default timeout of a Jest test, so that the error says what is open. */
const WITHIN_MS = 4500;

const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'skipped']);
const OPEN = EVENT_STATUSES.filter((status) => !ENDED.has(status));

/**
 * Resolves once everything that was accepted has ended: handlers, runs, deliveries, and the heartbeats they asked for.
 * @param options `name` of the ingress; `withinMs`, 4,500 by default: how long to wait, in milliseconds
 * @throws Error that says what is still open, such as a run that waits for a decision or for its next attempt
 */
export async function settled(
  app: INestApplicationContext,
  { name, withinMs = WITHIN_MS }: { name?: string; withinMs?: number } = {},
): Promise<void> {
  const find = <T>(port: Abstract<T>): T =>
    app.get<T>(getHooksToken(name, port), { strict: false });
  const [events, admin] = [find(EventStore), find(LedgerAdmin)];
  const until = performance.now() + withinMs;
  for (;;) {
    const open = await openOf(events, admin);
    // What is read one status after the other may have moved between two of them.
    if (open.length === 0 && (await openOf(events, admin)).length === 0) return;
    if (performance.now() >= until) {
      throw new Error(`not settled within ${withinMs} ms: ${open.join(', ')}`);
    }
    await pause(LOOK_EACH_MS);
  }
}

/** In words: `event 0199… of orders is waiting`. */
async function openOf(events: EventStore, admin: LedgerAdmin): Promise<string[]> {
  const pages = await Promise.all(OPEN.map((status) => events.list({ status, limit: 5 })));
  const open = pages.flatMap((page) => page.events);
  const counts = await admin.counts();
  const busy = counts.filter(
    ({ kind, state }) => ['run', 'delivery'].includes(kind) && state !== 'dead',
  );
  return [
    ...open.map(({ id, hook, status, waitReason }) => {
      const why = waitReason === null ? '' : ` (${waitReason})`;
      return `event ${id} of ${hook} is ${status}${why}`;
    }),
    ...(open.length > 0 ? [] : busy.map(({ kind, state, count }) => `${count} ${kind} ${state}`)),
  ];
}
