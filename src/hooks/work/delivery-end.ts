import { immediateHeartbeat, mainSession } from '../ports/index.ts';
import type { AttemptNote, Change, DeliveryLease, MessageOrder } from '../ports/index.ts';
import type { StepEnd } from './step.ts';
import { summaryOf } from './summary.ts';

/** How one attempt ended, for the story. */
export function noteOf(
  { attempt }: DeliveryLease,
  at: number,
  outcome: AttemptNote['outcome'],
  error?: string,
): AttemptNote {
  return { at, attempt, outcome, error };
}

/** Nothing was tried; the story has nothing to tell. */
export function postponed(at: number): StepEnd {
  return { end: { type: 'retry', at, interrupted: true }, changes: [] };
}

/** Nothing is sent yet: the parts are durable before the first one is, and stay as they were cut. */
export function cutUp({ order }: DeliveryLease, parts: readonly string[]): StepEnd {
  return { end: { type: 'cut', order: { ...order, text: '' }, parts }, changes: [] };
}

/** One part is taken, which is durable before the next one is sent. The delivery is known by its first part. */
export function progressed(
  { order: { deliveryId: id }, part }: DeliveryLease,
  messageId: string | undefined,
): StepEnd {
  const isFirst = part?.place === 1;
  const changes: readonly Change[] = isFirst ? [{ type: 'delivery-update', id, messageId }] : [];
  return { end: { type: 'continue' }, changes };
}

/** The last part is taken. */
export function delivered(
  lease: DeliveryLease,
  to: string,
  messageId: string | undefined,
  at: number,
): StepEnd {
  const message = lease.order;
  const { deliveryId: id, channel, becomesLastRoute } = message;
  const session = mainSession(message.agentId);
  const attempt = noteOf(lease, at, 'delivered');
  return {
    end: { type: 'done' },
    changes: [
      { type: 'delivery-update', id, status: 'delivered', error: null, attempt, messageId },
      ...(becomesLastRoute ? [{ type: 'route', session, channel, to, at } as const] : []),
      ...heartbeat(message, at),
    ],
  };
}

/** No further attempt. `unknown`: it may have arrived. The main session is told. */
export function givenUp(
  lease: DeliveryLease,
  error: string,
  status: 'dead' | 'unknown',
  at: number,
): StepEnd {
  const message = lease.order;
  const { deliveryId: id } = message;
  const attempt = noteOf(lease, at, status === 'dead' ? 'failed' : 'unknown', error);
  return {
    end: { type: 'dead' },
    changes: [
      { type: 'delivery-update', id, status, error, attempt },
      ...toMainSession(message, error, at),
      ...heartbeat(message, at),
    ],
  };
}

/** The summary that waited for the delivery, and why it was not made. */
function toMainSession(message: MessageOrder, reason: string, at: number): readonly Change[] {
  const { agentId, eventId, runId, name, summaryIfUndelivered: summary, trust } = message;
  const line = {
    type: 'system-event',
    session: mainSession(agentId),
    at,
    trust: { ...trust, level: 'untrusted', verifiedBy: 'none' },
    hook: name,
    eventId: eventId ?? undefined,
    asksHeartbeat: message.wakeMode === 'now',
  } as const;
  const why = { ...line, text: summaryOf(name, 'delivery', reason) };
  if (summary === undefined || runId === null) return [why];
  return [{ type: 'run-update', id: runId, summary }, { ...line, text: summary }, why];
}

function heartbeat({ wakeMode, agentId }: MessageOrder, at: number): readonly Change[] {
  return wakeMode === 'now' ? [{ type: 'work', work: immediateHeartbeat(agentId, at) }] : [];
}
