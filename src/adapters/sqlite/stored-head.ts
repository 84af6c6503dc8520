// The head of an event: the JSON text in its row that says what came and what it means. One text and not a column each,
// because a plain wake pays for every column, and nobody looks for what is in it.
import type { Trust } from '../../hooks/ports/agent-runner.ts';
import { leaveOut } from '../../platform/credentials.ts';
import { parseExactly } from '../../platform/exact-json.ts';
import type { EventDetails } from '../../hooks/ports/event-store.ts';
import type { EventRequest, NewEvent, Receipt, SkipReceipt } from '../../hooks/ports/event.ts';

const NO_WARNINGS = '[]';

/** The request as it is stored. Console lines (pruned with the payload) and redaction ride with it: they are rare. */
export type StoredRequest = EventRequest & Pick<NewEvent, 'console' | 'redaction'>;

export function toStoredRequest({
  request,
  console = [],
  redaction = [],
}: NewEvent): StoredRequest {
  if (console.length === 0 && redaction.length === 0) return request;
  return {
    ...request,
    ...(console.length > 0 && { console }),
    ...(redaction.length > 0 && { redaction }),
  };
}

/**
 * What stands in `events.head`: the request and what it means. Lists that are empty are left out, most of which are.
 * `receipts` are those of the actions.
 */
export interface StoredHead {
  readonly request: StoredRequest;
  readonly actions?: readonly Readonly<Record<string, unknown>>[];
  readonly receipts?: Receipt['actions'];
  readonly skipped?: SkipReceipt;
  readonly warnings?: readonly string[];
}

/** What a new event brings for its head, as JSON text. */
interface HeadOfNewEvent {
  readonly request: string;
  readonly skipped: string | null;
  readonly warnings: string;
}

/** Writer thread: the head of a new event. @param actions those that are stored. */
export function encodeHead(
  { request, skipped, warnings }: HeadOfNewEvent,
  actions: readonly { readonly details: string; readonly receipt: string }[],
): string {
  let head = `{"request":${request}`;
  if (actions.length > 0) {
    head += `,"actions":[${actions.map(({ details }) => details).join(',')}]`;
    head += `,"receipts":[${actions.map(({ receipt }) => receipt).join(',')}]`;
  }
  if (skipped !== null) head += `,"skipped":${skipped}`;
  if (warnings !== NO_WARNINGS) head += `,"warnings":${warnings}`;
  return `${head}}`;
}

/** What {@link encodeHead} wrote. */
export function decodeHead(text: string): StoredHead {
  const head: StoredHead = JSON.parse(text);
  return head;
}

/** A wake whose words are shown as they stand in its event. */
interface ShownWake {
  readonly text: string;
  readonly trust: Trust;
  readonly agentId: string;
}

/**
 * The only action of an event whose system event has no words of its own: they were compared when it was accepted.
 * @param text JSON
 */
export function decodeOnlyWake(text: string): ShownWake {
  const { actions }: { actions: readonly [ShownWake] } = JSON.parse(text);
  return actions[0];
}

/** What is left of a head when payloads are forgotten: neither the words of actions nor what a transform wrote. */
export function withoutBodies({ request, actions = [], ...head }: StoredHead): StoredHead {
  const { console: _console, ...kept } = request;
  const bare = actions.map(({ text: _text, message: _message, ...action }) => action);
  return { ...head, request: kept, ...(bare.length > 0 && { actions: bare }) };
}

/** What a sender was told, and is told again. */
export function toReceipt(
  eventId: string,
  { receipts = [], skipped, warnings = [] }: StoredHead,
): Receipt {
  return { eventId, actions: receipts, ...(skipped !== undefined && { skipped }), warnings };
}

/** The details of an event; what its head and its payload say is JSON text still. */
export type StoredEventDetails = Omit<
  EventDetails,
  'request' | 'actions' | 'skipped' | 'warnings' | 'console'
> & {
  readonly head: string;
  readonly payload: string | null;
};

/** Main thread: the details as the port shows them. */
export function decodeEventDetails(stored: StoredEventDetails): EventDetails {
  const { head, payload, ...details } = stored;
  const { request: given, actions = [], skipped, warnings = [] } = decodeHead(head);
  const { console = [], redaction, ...request } = given;
  const shown = payload === null ? null : leaveOut(parseExactly(payload), redaction);
  return {
    ...details,
    request: { ...request, payload: shown },
    actions,
    skipped: skipped?.reason ?? null,
    warnings,
    console,
  };
}

/** Main thread: the request of an event, without what rides with it. */
export function decodeRequest(head: string): EventRequest {
  const { console: _console, redaction: _redaction, ...request } = decodeHead(head).request;
  return request;
}
