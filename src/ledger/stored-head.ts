// What came and what it means, as one JSON text: a plain wake pays for every column, and nobody looks for this.
import type { Trust } from '../hooks/ports/trust.ts';
import { leaveOut } from '../platform/credentials.ts';
import { isRecord } from '../platform/objects.ts';
import type { EventDetails, RunStory } from '../hooks/ports/event-store.ts';
import type {
  ActionReceipt,
  EventRequest,
  NewAction,
  NewEvent,
  Receipt,
  SkipReceipt,
} from '../hooks/ports/event.ts';
import { storedJson } from './rows.ts';
import { LONGEST_WHOLE, parseShown } from './shown-payload.ts';

/** The request as it is stored. Console lines (pruned with the payload) and redaction ride with it: they are rare. */
export type StoredRequest = EventRequest & Pick<NewEvent, 'console' | 'redaction'>;

function toStoredRequest({ request, console = [], redaction = [] }: NewEvent): StoredRequest {
  if (console.length === 0 && redaction.length === 0) return request;
  return {
    ...request,
    ...(console.length > 0 && { console }),
    ...(redaction.length > 0 && { redaction }),
  };
}

/**
 * Empty lists are left out, and what the row says: words that are null are those of the payload's field of the same
 * name, and a receipt that is null says the kind and the mode of its action.
 */
export interface StoredHead {
  readonly request: StoredRequest;
  readonly actions?: readonly StoredDetails[];
  readonly receipts?: readonly (ActionReceipt | null)[];
  readonly skipped?: SkipReceipt;
  readonly warnings?: readonly string[];
}

type StoredDetails = NewAction['details'];

const WORDS = ['text', 'message'] as const;

/** Members before the words, few, short and without escapes: without parsing it is sure whose field comes next. */
const ANY_WORDS = WORDS.join('|');
const MEMBERS = `\\{\\s*(?:"(?!(?:${ANY_WORDS})")\\w+":\\s*(?:"[^"\\\\]*"|[\\w.+-]+),\\s*)*`;
const MOST_OF_MEMBERS = 100;
const ONLY_MEMBERS = new RegExp(`^${MEMBERS}$`);

/** What an action shows, as JSON text. @param payload JSON text, as it was sent */
export function encodeDetails(details: StoredDetails, payload: string): string {
  for (const field of WORDS) {
    const words = details[field];
    if (typeof words !== 'string' || !saysAtStart(payload, field, words)) continue;
    return JSON.stringify({ ...details, [field]: null });
  }
  return JSON.stringify(details);
}

/** Whether these words are surely the payload's own field of that name. */
function saysAtStart(payload: string, field: string, words: string): boolean {
  const name = `"${field}":`;
  const at = payload.slice(0, MOST_OF_MEMBERS + name.length).indexOf(name);
  if (at < 0 || !ONLY_MEMBERS.test(payload.slice(0, at))) return false;
  const from = at + name.length;
  return payload.startsWith(JSON.stringify(words), payload[from] === ' ' ? from + 1 : from);
}

/** What an action showed. @param payload parsed; null: it was forgotten, and the words with it */
function decodeDetails(details: StoredDetails, payload: unknown): StoredDetails {
  const field = WORDS.find((name) => details[name] === null);
  if (field === undefined || !isRecord(payload)) return details;
  return { ...details, [field]: payload[field] };
}

/** The words at the beginning of an object, as far as they are there. */
const FIRST_FIELD = new RegExp(
  `^${MEMBERS}"(?:${ANY_WORDS})":\\s*"((?:[^"\\\\]|\\\\(?:[^u]|u[0-9a-fA-F]{4}))*)`,
);

/** The first words of an action that are those of the payload. @param start of the payload's JSON text; null: there is none */
export function decodeWordsAtStart(start: string | null): string | null {
  const [, words] = FIRST_FIELD.exec(start ?? '') ?? [];
  return words === undefined ? null : storedJson(`"${words}"`);
}

/** What the sender is told of an action, as JSON text; null when the action says it. */
function encodeReceipt({ receipt, details }: NewAction): string {
  const { kind, mode } = details;
  const isSaid = receipt.kind === 'wake' && receipt.kind === kind && receipt.mode === mode;
  return isSaid ? 'null' : JSON.stringify(receipt);
}

/** @param actions those that are stored. @param warnings the event's, and what only the ledger can know */
export function encodeHead(
  event: NewEvent,
  actions: readonly NewAction[],
  warnings: readonly string[],
): string {
  let head = `{"request":${JSON.stringify(toStoredRequest(event))}`;
  if (actions.length > 0) {
    const details = actions.map((action) => encodeDetails(action.details, event.payload));
    head += `,"actions":[${details.join()}]`;
    const receipts = actions.map(encodeReceipt);
    if (receipts.some((receipt) => receipt !== 'null')) head += `,"receipts":[${receipts.join()}]`;
  }
  if (event.skipped !== undefined) head += `,"skipped":${JSON.stringify(event.skipped)}`;
  if (warnings.length > 0) head += `,"warnings":${JSON.stringify(warnings)}`;
  return `${head}}`;
}

export function decodeHead(text: string): StoredHead {
  const head: StoredHead = storedJson(text);
  return head;
}

interface ShownWake {
  readonly text: string;
  readonly trust: Trust;
  readonly agentId: string;
}

/**
 * The only action of an event whose system event has no words of its own: they were compared when it was accepted.
 * @param payload JSON text
 */
export function decodeOnlyWake(head: string, payload: string): ShownWake {
  const { actions }: { actions: readonly [ShownWake & { text: string | null }] } = storedJson(head);
  const [wake] = actions;
  if (wake.text !== null) return wake;
  const { text }: { text: string } = storedJson(payload);
  return { ...wake, text };
}

/** What is left of a head when payloads are forgotten: neither the words of actions nor what a transform wrote. */
export function withoutBodies({ request, actions = [], ...head }: StoredHead): StoredHead {
  const { console: _console, ...kept } = request;
  const bare = actions.map(({ text: _text, message: _message, ...action }) => action);
  return { ...head, request: kept, ...(bare.length > 0 && { actions: bare }) };
}

/** What is left when an operator has an event forgotten: how it was verified, and the receipts for its repeats. */
export function tombstone(head: StoredHead, at: number): StoredHead {
  const { verifiedBy } = head.request;
  const actions = head.actions?.map(({ kind, mode }) => ({
    kind,
    ...(mode !== undefined && { mode }),
  }));
  const time = new Date(at).toISOString();
  return {
    request: { path: '', query: {}, headers: {}, client: '', verifiedBy },
    ...(actions !== undefined && { actions }),
    ...(head.receipts !== undefined && { receipts: head.receipts }),
    ...(head.skipped !== undefined && { skipped: head.skipped }),
    warnings: [`An operator had this event forgotten at ${time}.`],
  };
}

export function decodeReceipt(eventId: string, head: string): Receipt {
  const { actions = [], receipts, skipped, warnings = [] } = decodeHead(head);
  return {
    eventId,
    actions: actions.map((action, at) => receipts?.[at] ?? toWakeReceipt(action)),
    ...(skipped !== undefined && { skipped }),
    warnings,
  };
}

/** The receipt that {@link encodeReceipt} left out. */
function toWakeReceipt({ mode }: StoredDetails): ActionReceipt {
  return { kind: 'wake', mode: mode === 'now' ? 'now' : 'next-heartbeat' };
}

/** The details of an event; what its head and its payload say is JSON text still. */
export type StoredEventDetails = Omit<
  EventDetails,
  'request' | 'actions' | 'skipped' | 'warnings' | 'console'
> & {
  readonly head: string;
  /** Perhaps only its beginning. */
  readonly payload: string | null;
  readonly payloadBytes: number;
};

export function decodeEventDetails(stored: StoredEventDetails): EventDetails {
  const { head, payload, payloadBytes, ...details } = stored;
  const { request: given, actions = [], skipped, warnings = [] } = decodeHead(head);
  const { console = [], redaction, ...request } = given;
  const parsed = payload === null ? null : parseShown(payload, payloadBytes);
  return {
    ...details,
    request: {
      ...request,
      payload: leaveOut(parsed, redaction),
      ...(payloadBytes > LONGEST_WHOLE && { payloadBytes }),
    },
    actions: actions.map((action) => decodeDetails(action, parsed)),
    skipped: skipped?.reason ?? null,
    warnings,
    console,
  };
}

/** A run and its event; what the event's head says is JSON text still. */
export type StoredRunStory = Omit<RunStory, 'verifiedBy' | 'action'> & { readonly head: string };

/** The run as the port shows it, with the action whose receipt names it. */
export function decodeRunStory({ head, ...story }: StoredRunStory): RunStory {
  const { request, actions = [], receipts = [] } = decodeHead(head);
  const at = receipts.findIndex(
    (receipt) => receipt?.kind === 'agent' && receipt.runId === story.run.id,
  );
  const { message: _inThePayload, ...action } = actions[at] ?? {};
  return { ...story, verifiedBy: request.verifiedBy, action };
}

/** The request of an event, without what rides with it. */
export function decodeRequest(head: string): EventRequest {
  const { console: _console, redaction: _redaction, ...request } = decodeHead(head).request;
  return request;
}
