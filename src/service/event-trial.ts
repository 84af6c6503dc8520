// `hooks preview --recent`: stored events by two configurations, each in a module that nobody sends to, with a ledger
// in memory.
import { NestFactory } from '@nestjs/core';
import { demoRunner } from '../adapters/agents/index.ts';
import {
  GATEWAY_NAMES,
  HookPreview,
  HooksModule,
  HooksSettings,
  tryEvent,
} from '../hooks/index.ts';
import type { ComparedEvent, KeptRequest, Preview } from '../hooks/index.ts';
import { readRequest } from '../ledger/events/event-details.ts';
import { listEvents } from '../ledger/events/event-list.ts';
import { memoryLedger } from '../ledger/sqlite/index.ts';
import { decodeRequest } from '../ledger/stored-head.ts';
import type { ResolvedSections } from './configuration/resolve.ts';
import { readLedger } from './ledger-backup.ts';

export interface TriedEvent extends ComparedEvent {
  readonly event: string;
  /** ISO 8601. */
  readonly receivedAt: string;
  readonly hook: string;
}

/**
 * The newest events of a ledger, newest first.
 * @param before has the ledger
 * @throws ConfigurationError; Error with a sentence when it cannot be read
 */
export async function tryNewestEvents(
  before: ResolvedSections,
  after: ResolvedSections,
  most: number,
  now: number,
): Promise<readonly TriedEvent[]> {
  await using was = await renderer(before);
  await using is = await renderer(after);
  // Awaited: they are closed afterwards.
  return await readLedger(before, now, async ({ tx }) => {
    const { events } = await listEvents(tx, { limit: most });
    const tried: TriedEvent[] = [];
    for (const { id: event, receivedAt, hook } of events) {
      const stored = (await readRequest(tx, event))!;
      const request = decodeRequest(stored.head);
      const at = Date.parse(receivedAt);
      const compared = await tryEvent(
        { ...stored, request },
        (kept) => was.render(kept, at),
        (kept) => is.render(kept, at),
      );
      tried.push({ event, receivedAt, hook, ...compared });
    }
    return tried;
  });
}

interface Renderer extends AsyncDisposable {
  /** @param receivedAt epoch milliseconds */
  render(kept: KeptRequest, receivedAt: number): Promise<Preview>;
}

/** @throws ConfigurationError */
async function renderer({ hooks, channels }: ResolvedSections): Promise<Renderer> {
  const module = HooksModule.forRoot({
    ...hooks,
    channels,
    runner: demoRunner(),
    ledger: memoryLedger(),
    names: GATEWAY_NAMES,
  });
  const app = await NestFactory.createApplicationContext(module, {
    logger: false,
    abortOnError: false,
  });
  const previews: HookPreview = app.get(HookPreview, { strict: false });
  const { current: settings } = app.get(HooksSettings, { strict: false });
  return {
    render: (kept, receivedAt) => previews.ofStored(kept, { settings, receivedAt }),
    [Symbol.asyncDispose]: () => app.close(),
  };
}
