import type {
  DeliveryDetails,
  EventDetails,
  EventNote,
  EventStatus,
  RunDetails,
  WaitDetails,
} from '../../hooks/index.ts';
import { asLine, asLines, safeJson } from '../foreign-text.ts';
import { INDENT, PLAIN, duration, fieldLines, numberedName, section } from '../text-layout.ts';
import type { Colour, Paint } from '../text-layout.ts';

// An event in order of time; nothing of it can steer the terminal.

export const STATUS_COLOURS: Readonly<Record<EventStatus, Colour>> = {
  accepted: 'yellow',
  running: 'yellow',
  waiting: 'yellow',
  delivering: 'yellow',
  done: 'green',
  skipped: 'dim',
  failed: 'red',
};

export function detailLines(event: EventDetails, paint: Paint = PLAIN): string[] {
  const { actions, runs, summary, console, request } = event;
  return [
    ...outcomeLines(event, paint),
    ...actions.flatMap((action, index) => {
      return actionLines(action, numberedName('Action', index, actions), paint);
    }),
    ...runs.flatMap((run, index) => runLines(run, numberedName('Run', index, runs), paint)),
    ...section('Summary', summary === null ? [] : asLines(summary), paint),
    ...section('Console', console.flatMap(asLines), paint),
    ...section('Request', requestLines(request), paint),
  ];
}

function actionLines(
  { text = null, message = text, ...fields }: EventDetails['actions'][number],
  name: string,
  paint: Paint,
): string[] {
  const words = typeof message === 'string' ? asLines(message) : [];
  return [...section(name, fieldLines(fields), paint), ...section(`${name}: text`, words, paint)];
}

export function outcomeLines(event: EventDetails, paint: Paint = PLAIN): string[] {
  const { id, hook, status, waitReason, skipped, mapping, receivedAt, request, warnings } = event;
  const replayOf = request.replayOf === undefined ? [] : [['replay of', asLine(request.replayOf)]];
  const facts = [
    ['hook', `${asLine(hook)}${mapping === null ? '' : ` (mapping ${asLine(mapping)})`}`],
    ['received', `${receivedAt}, verified by ${asLine(request.verifiedBy)}`],
    ...replayOf,
    ...(skipped === null ? [] : [['because', asLine(skipped)]]),
    ...warnings.map((warning) => ['warning', asLine(warning)]),
  ];
  return [
    `${paint('bold', `Event ${asLine(id)}`)} ${paint(STATUS_COLOURS[status], waitReason === null ? status : 'waiting')}`,
    ...facts.map(([name = '', value = '']) => `${INDENT}${name.padEnd(9)} ${value}`),
    ...section(
      'Timeline (UTC)',
      timeline(event).map((moment) => momentLine(moment, paint)),
      paint,
    ),
  ];
}

export function replyLines({ runs }: EventDetails, paint: Paint = PLAIN): string[] {
  return runs.flatMap(({ reply }, index) => {
    return reply === null ? [] : section(numberedName('Reply', index, runs), asLines(reply), paint);
  });
}

/** One line of the timeline; without a time its place stays empty. */
function momentLine({ at, what, isBad }: Moment, paint: Paint): string {
  const time = (at?.slice('2026-01-01T'.length, -1) ?? '').padEnd('17:40:12.123'.length);
  return `${paint('dim', time)}  ${isBad ? paint('red', what) : what}`;
}

/** What `events show` prints of one run. Everything in it may be foreign text, and is made harmless line by line. */
function runLines(run: RunDetails, name: string, paint: Paint): string[] {
  const { id, contract, warnings, toolCalls, prompt, reply } = run;
  const calls = toolCalls.flatMap(({ tool, input, outcome, result, ms }) => [
    `${asLine(tool)} ${outcome} in ${ms} ms`,
    ...asLines(input ?? '(forgotten)').map((line) => `${INDENT}${line}`),
    ...asLines(result ?? '(forgotten)').map((line) => `${INDENT}= ${line}`),
  ]);
  return [
    ...section(`${name} ${asLine(id)}`, contract === null ? [] : fieldLines({ contract }), paint),
    ...section(`${name}: warnings`, warnings.map(asLine), paint),
    ...section(`${name}: prompt`, textLines(prompt), paint),
    ...section(`${name}: tool calls`, calls, paint),
    ...section(`${name}: reply`, textLines(reply), paint),
  ];
}

function textLines(text: string | null): string[] {
  return text === null ? [] : asLines(text);
}

/** What came in, without the credentials, which were never stored. */
function requestLines(request: EventDetails['request']): string[] {
  const { path, query, headers, payload, payloadBytes } = request;
  const body = payload === null ? 'null, or forgotten' : safeJson(payload, 2);
  const name =
    payloadBytes === undefined ? 'payload:' : `payload, the beginning of ${payloadBytes} bytes:`;
  return [...fieldLines({ path, query, headers }), name, ...asLines(body)];
}

interface Moment {
  /** ISO 8601; null: the ledger does not know when. */
  readonly at: string | null;
  readonly what: string;
  readonly isBad: boolean;
}

/** Everything that happened to an event, in order of time; what has no time comes last. */
function timeline(event: EventDetails): Moment[] {
  const moments = [
    { at: event.receivedAt, what: `accepted from ${asLine(event.request.client)}`, isBad: false },
    ...event.runs.flatMap((run, index) => runMoments(run, numberedName('run', index, event.runs))),
    ...event.deliveries.flatMap(deliveryMoments),
    ...heartbeatMoments(event),
    ...failureMoments(event),
  ];
  return moments.toSorted((one, other) => toTime(one) - toTime(other));
}

function toTime({ at }: Moment): number {
  return at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at);
}

function runMoments(run: RunDetails, name: string): Moment[] {
  const { startedAt, finishedAt, notes, agentId, sessionKey, status, error, joined } = run;
  const why = joined === null ? error : `its event is a line of run ${joined}`;
  const begun = `${name} began: agent ${asLine(agentId)}, session ${asLine(sessionKey)}`;
  const attempts = notes.map((note) => ({
    at: note.at,
    what: attemptLine(name, note),
    isBad: note.outcome !== 'delivered' && note.outcome !== 'retry',
  }));
  return [
    ...(startedAt === null ? [] : [{ at: startedAt, what: begun, isBad: false }]),
    ...attempts,
    ...run.waits.flatMap((wait) => waitMoments(wait, name)),
    {
      at: finishedAt,
      what: sentence(`${name} ${status}${details(run)}`, why ?? ''),
      isBad: ['failed', 'timed-out', 'interrupted'].includes(status),
    },
  ];
}

function waitMoments(wait: WaitDetails, name: string): Moment[] {
  const { id, kind, openedAt, until, recipient, calls, key, question, decision } = wait;
  const about = {
    run: 'leave to begin',
    tools: `leave to call ${calls.map(({ tool }) => asLine(tool)).join(', ') || 'tools'}`,
    reply: `leave to send its reply to ${asLine(recipient?.channel ?? '')}${recipient?.to == null ? '' : ` (${asLine(recipient.to)})`}`,
    event: `${asLine(key ?? '')}${question === null ? '' : ` (${asLine(question)})`}`,
  };
  const asked = `${name} waits for ${about[kind]}`;
  if (decision === null) {
    return [
      { at: openedAt, what: `${asked}, until ${until}: hooks approve ${asLine(id)}`, isBad: false },
    ];
  }
  const { verdict, by, at, reason, event } = decision;
  const inTime = kind === 'event' ? 'it did not come in time' : 'nobody decided in time';
  const over = reason === null ? inTime : 'nobody has to decide any more';
  const came = event === null ? over : `resumed by event ${event.eventId}`;
  const who = by === null ? came : `${verdict} by ${asLine(by)}`;
  return [
    { at: openedAt, what: asked, isBad: false },
    { at, what: sentence(`${name}: ${who}`, reason ?? ''), isBad: false },
  ];
}

function attemptLine(name: string, note: EventNote): string {
  const { at, attempt, outcome, error = '', nextAt } = note;
  const next =
    nextAt === undefined ? '' : `, again in ${duration(Date.parse(nextAt) - Date.parse(at))}`;
  return sentence(`${name}, attempt ${attempt}: ${outcome}${next}`, error);
}

function details({ startedAt, finishedAt, model, usage }: RunDetails): string {
  if (startedAt === null || finishedAt === null) return '';
  const took = duration(Date.parse(finishedAt) - Date.parse(startedAt));
  const by = model === null ? '' : ` by ${asLine(model)}`;
  const tokens = usage === null ? '' : `, ${usage.inputTokens} + ${usage.outputTokens} tokens`;
  return ` after ${took}${by}${tokens}`;
}

/** Each attempt whose message was not taken, and how it ended. */
function deliveryMoments(delivery: DeliveryDetails): Moment[] {
  const { channel, to, status, attempts, messageId, error } = delivery;
  const name = `delivery to ${asLine(channel)}${to === null ? '' : ` (${asLine(to)})`}`;
  const tried = attempts
    .filter(({ outcome }) => outcome !== 'delivered' && outcome !== 'accepted')
    .map((note) => ({
      at: note.at,
      what: attemptLine(name, note),
      isBad: note.outcome === 'failed' || note.outcome === 'unknown',
    }));
  const as = messageId === null ? '' : ` as message ${asLine(messageId)}`;
  const unconfirmed = status === 'accepted' ? ', whether it arrived is not known here' : '';
  const last = attempts.at(-1);
  const end = {
    at: last?.at ?? null,
    what: sentence(`${name}: ${status}${as}${unconfirmed}`, error ?? last?.error ?? ''),
    isBad: isBadDelivery(delivery),
  };
  return [...tried, end];
}

export function isBadDelivery({ status }: DeliveryDetails): boolean {
  return status === 'dead' || status === 'unknown';
}

function heartbeatMoments({ heartbeat }: EventDetails): Moment[] {
  if (heartbeat === 'none') return [];
  return [{ at: null, what: `heartbeat ${heartbeat}`, isBad: heartbeat === 'failed' }];
}

/** What no part of it has told already. */
function failureMoments({ error, skipped, runs, deliveries }: EventDetails): Moment[] {
  const told = [skipped, ...[...runs, ...deliveries].map((part) => part.error)];
  if (error === null || told.includes(error)) return [];
  return [{ at: null, what: sentence('failed', error), isBad: true }];
}

function sentence(what: string, why: string): string {
  return why === '' ? what : `${what}: ${asLine(why)}`;
}
