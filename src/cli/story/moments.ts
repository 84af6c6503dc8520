import type { DeliveryStory, EventStory, RunStory } from '../../hooks/index.ts';
import { asLine } from '../foreign-text.ts';
import { duration } from './duration.ts';

/** Something that happened to an event. */
export interface Moment {
  /** ISO 8601; null: the ledger does not know when. */
  readonly at: string | null;
  readonly what: string;
  readonly isBad: boolean;
}

/** Everything that happened to an event, in order of time; what has no time comes last. */
export function momentsOf(story: EventStory): Moment[] {
  const moments = [
    { at: story.receivedAt, what: `accepted from ${asLine(story.request.client)}`, isBad: false },
    ...story.runs.flatMap((run, index) => runMoments(run, nameOf('run', index, story.runs))),
    ...story.deliveries.flatMap(deliveryMoments),
    ...heartbeatMoments(story),
    ...failureMoments(story),
  ];
  return moments.toSorted((one, other) => orderOf(one) - orderOf(other));
}

/** `run`, or `run 2` where there are several. */
export function nameOf(word: string, index: number, all: readonly unknown[]): string {
  return all.length > 1 ? `${word} ${index + 1}` : word;
}

function orderOf({ at }: Moment): number {
  return at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at);
}

function runMoments(run: RunStory, name: string): Moment[] {
  const { startedAt, finishedAt, notes, agentId, sessionKey, status, error } = run;
  const begun = `${name} began: agent ${asLine(agentId)}, session ${asLine(sessionKey)}`;
  const attempts = notes.map(({ at, attempt, outcome, error = '' }) => ({
    at,
    what: sentence(`${name}, attempt ${attempt}: ${outcome}`, error),
    isBad: outcome !== 'delivered' && outcome !== 'retry',
  }));
  return [
    ...(startedAt === null ? [] : [{ at: startedAt, what: begun, isBad: false }]),
    ...attempts,
    {
      at: finishedAt,
      what: sentence(`${name} ${status}${details(run)}`, error ?? ''),
      isBad: ['failed', 'timed-out', 'interrupted'].includes(status),
    },
  ];
}

function details({ startedAt, finishedAt, model, usage }: RunStory): string {
  if (startedAt === null || finishedAt === null) return '';
  const took = duration(Date.parse(finishedAt) - Date.parse(startedAt));
  const by = model === null ? '' : ` by ${asLine(model)}`;
  const tokens = usage === null ? '' : `, ${usage.inputTokens} + ${usage.outputTokens} tokens`;
  return ` after ${took}${by}${tokens}`;
}

function deliveryMoments(delivery: DeliveryStory): Moment[] {
  const { channel, to, status, attempts, messageId, error } = delivery;
  const name = `delivery to ${asLine(channel)}${to === null ? '' : ` (${asLine(to)})`}`;
  const tried = attempts
    .filter(({ outcome }) => outcome !== 'delivered')
    .map(({ at, attempt, outcome, error = '' }) => ({
      at,
      what: sentence(`${name}, attempt ${attempt}: ${outcome}`, error),
      isBad: outcome === 'failed' || outcome === 'unknown',
    }));
  const as = messageId === null ? '' : ` as message ${asLine(messageId)}`;
  const end = {
    at: attempts.at(-1)?.at ?? null,
    what: sentence(`${name}: ${status}${as}`, error ?? ''),
    isBad: isBadDelivery(delivery),
  };
  return [...tried, end];
}

/** Whether a reply did not arrive, as far as anybody can tell. */
export function isBadDelivery({ status }: DeliveryStory): boolean {
  return status === 'dead' || status === 'unknown';
}

function heartbeatMoments({ heartbeat }: EventStory): Moment[] {
  if (heartbeat === 'none') return [];
  return [{ at: null, what: `heartbeat ${heartbeat}`, isBad: heartbeat === 'failed' }];
}

function failureMoments({ error }: EventStory): Moment[] {
  return error === null ? [] : [{ at: null, what: sentence('failed', error), isBad: true }];
}

function sentence(what: string, why: string): string {
  return why === '' ? what : `${what}: ${asLine(why)}`;
}
