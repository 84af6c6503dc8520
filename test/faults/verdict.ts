import type { EventDetails, RunDetails } from '../../src/hooks/ports/index.ts';
import type { Acknowledged } from './sender.ts';
import type { TestedService } from './tested-service.ts';
import type { World } from './world.ts';

export interface Verdict {
  /** Acknowledged, and not in the ledger, not with all its runs, or never heard of outside. */
  readonly lost: readonly string[];
  /** Of one session: asked or sent before what had been acknowledged earlier. */
  readonly outOfOrder: readonly string[];
  /** Asked or sent more often than the story says. */
  readonly repeatedUntold: readonly string[];
  /** Failed, and not because it was under way in five kills in a row. */
  readonly endedBadly: readonly string[];
  /** Refused with 503, and done all the same. */
  readonly doneThoughRefused: readonly string[];
}

export const FLAWLESS: Verdict = {
  lost: [],
  outOfOrder: [],
  repeatedUntold: [],
  endedBadly: [],
  doneThoughRefused: [],
};

export async function verdictOn(world: World, service: TestedService): Promise<Verdict> {
  const records = new Records(world);
  const found = {
    lost: [] as string[],
    repeatedUntold: [] as string[],
    endedBadly: [] as string[],
  };
  for (const event of world.acknowledged) {
    const story = await service.details(event.eventId).catch(() => undefined);
    if (story === undefined) {
      found.lost.push(event.eventId);
      continue;
    }
    found.lost.push(...lostOf(event, story, records));
    found.repeatedUntold.push(...repeatedOf(event, story, records));
    if (story.status !== 'done' && !wasGivenUp(story)) found.endedBadly.push(event.eventId);
  }
  const done = new Set([...records.asked.keys(), ...records.sent.keys(), ...records.noted.keys()]);
  const refused = world.senders.flatMap((sender) => sender.refused);
  return {
    ...found,
    outOfOrder: world.senders.flatMap(({ acknowledged }) => [
      ...outOfOrder(acknowledged, records.asked),
      ...outOfOrder(acknowledged, records.sent),
    ]),
    doneThoughRefused: refused.filter((marker) => done.has(marker)),
  };
}

type Counts = ReadonlyMap<string, number>;

class Records {
  readonly asked: Counts;
  readonly sent: Counts;
  readonly noted: Counts;

  constructor({ runs, heartbeats, chats }: World) {
    this.asked = countsOf(runs, /Please answer (\[[^\]]*\])/g);
    this.noted = countsOf(heartbeats, /Note (\[[^\]]*\])/g);
    this.sent = countsOf(
      chats.asked.map(({ text }) => text),
      /Done with (\[[^\]]*\])/g,
    );
  }
}

function countsOf(texts: readonly string[], pattern: RegExp): Counts {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [, marker = ''] of text.matchAll(pattern)) {
      counts.set(marker, (counts.get(marker) ?? 0) + 1);
    }
  }
  return counts;
}

function lostOf(
  { eventId, kind, markers }: Acknowledged,
  story: EventDetails,
  records: Records,
): readonly string[] {
  if (kind === 'wake') return markers.filter((marker) => !records.noted.has(marker));
  if (story.runs.length !== markers.length) return [eventId];
  if (wasGivenUp(story)) return [];
  return markers.filter((marker) => !records.asked.has(marker) || !records.sent.has(marker));
}

/** What was under way may come again, but never without a word. */
function repeatedOf(
  { kind, markers }: Acknowledged,
  { runs, deliveries }: EventDetails,
  { asked, sent }: Records,
): readonly string[] {
  if (kind === 'wake') return [];
  return markers.filter((marker, n) => {
    const run = runs[n];
    const delivery = deliveries.find(({ runId }) => runId === run?.id);
    return (
      (asked.get(marker) ?? 0) > tellsOf(run) ||
      (sent.get(marker) ?? 0) > (delivery?.attempts.length ?? 0)
    );
  });
}

/** How often a run was asked by its own account: a second time only with a note that says why. */
function tellsOf(run: RunDetails | undefined): number {
  if (run === undefined) return 0;
  return run.notes.length === 0 ? Math.min(run.attempts, 1) : run.attempts;
}

function outOfOrder(acknowledged: readonly Acknowledged[], heard: Counts): readonly string[] {
  const promised = acknowledged
    .filter(({ kind }) => kind !== 'wake')
    .flatMap(({ markers }) => markers)
    .filter((marker) => heard.has(marker));
  const isPromised = new Set(promised);
  const order = [...heard.keys()].filter((marker) => isPromised.has(marker));
  return order.filter((marker, n) => marker !== promised[n]);
}

/** What was under way in five kills in a row is given up and says so; a heartbeat that was leaves its lines to the next. */
function wasGivenUp({ runs, deliveries, summary, heartbeat }: EventDetails): boolean {
  const saysSo = /the service died \d+ times in a row during this run/;
  const isGivenUp = ({ status, error, attempts }: RunDetails) =>
    status === 'interrupted' &&
    attempts >= 5 &&
    saysSo.test(error ?? '') &&
    saysSo.test(summary ?? '');
  return (
    runs.some(isGivenUp) ||
    deliveries.some(({ status }) => status === 'unknown') ||
    heartbeat === 'failed'
  );
}
