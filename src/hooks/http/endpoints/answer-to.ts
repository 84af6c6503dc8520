import type { Accepted } from '../../accept/event-acceptance.ts';
import type { ActionReceipt } from '../../ports/index.ts';
import type { Answer } from '../answer.ts';

/** What the sender of an accepted event is told (behaviour.md §2). A repeat gets the same words as the first time. */
export function answerTo({ receipt, isReplay }: Accepted): Answer {
  const { eventId, actions, warnings } = receipt;
  const repeated: Record<string, string> = isReplay ? { 'idempotent-replayed': 'true' } : {};
  const [first] = actions;
  if (first === undefined) {
    // Without a body, a header is the only place for the event's id.
    return { status: 204, eventId, headers: { 'event-id': eventId, ...repeated } };
  }
  const runIds = actions.flatMap((action) => (action.kind === 'agent' ? [action.runId] : []));
  const body = {
    ok: true,
    ...told(first),
    ...(actions.length > 1 && runIds.length > 0 && { runIds }),
    eventId,
    ...(warnings.length > 0 && { warnings }),
  };
  return { status: 200, body, eventId, ...(isReplay && { headers: repeated }) };
}

function told(action: ActionReceipt): { mode: string } | { runId: string } {
  return action.kind === 'wake' ? { mode: action.mode } : { runId: action.runId };
}
