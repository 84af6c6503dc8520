// The end of every request to a hook: what was decided becomes one answer, one log line, one count. Whatever comes
// after the first answer is dropped, so that a host's interceptor may retry or swallow as it likes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpException, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LogFields } from '../../platform/log-fields.ts';
import type { Accepted } from '../actions/accept.ts';
import { builtInHook } from '../actions/hook-request.ts';
import { Clock, RequestObserver } from '../ports/index.ts';
import type { ActionReceipt } from '../ports/index.ts';
import { MappingService } from '../mappings/mapping-service.ts';
import { Rejection, isLoggable } from '../ports/rejection.ts';
import type {
  DeliveryAnswer,
  HandledAnswer,
  RejectedAnswer,
  RunAnswer,
  SkippedAnswer,
  WakeAnswer,
} from './answer-bodies.ts';
import { ClientGone } from './body.ts';
import { RefusalInbox } from './refusal-inbox.ts';
import { hideSecrets, secretsOf, visibleName } from './request.ts';
import type { HookAnswer, HookCall } from './hook-call.ts';
import { HookExchange } from './hook-exchange.ts';
import { READING } from './steps.ts';

/** What the sender of an accepted event is told (behaviour.md §2). A repeat gets the same words as the first time. */
export function toAnswer({ receipt, isReplay }: Accepted): HookAnswer {
  const { eventId, actions, skipped, warnings } = receipt;
  const replayed: Record<string, string> = isReplay ? { 'idempotent-replayed': 'true' } : {};
  const [first] = actions;
  const warned = warnings.length > 0 && { warnings };
  const repeated = isReplay && { headers: replayed };
  if (skipped?.isSilent === false) {
    const body = {
      ok: true,
      skipped: true,
      reason: skipped.reason,
      eventId,
      ...warned,
    } satisfies SkippedAnswer;
    return { status: 200, body, eventId, ...repeated };
  }
  if (first === undefined) {
    // Without a body, a header is the only place for the event's id.
    return { status: 204, eventId, headers: { 'event-id': eventId, ...replayed } };
  }
  const body = { ok: true, ...toIds(first, actions), eventId, ...warned } satisfies
    WakeAnswer | RunAnswer | DeliveryAnswer | HandledAnswer;
  return { status: 200, body, eventId, ...repeated };
}

function toIds(first: ActionReceipt, all: readonly ActionReceipt[]) {
  if (first.kind === 'handler') return {};
  const isOne = all.length === 1;
  if (first.kind === 'deliver') {
    const deliveryIds = all.flatMap((one) => (one.kind === 'deliver' ? [one.deliveryId] : []));
    return { deliveryId: first.deliveryId, ...(!isOne && { deliveryIds }) };
  }
  const runIds = all.flatMap((one) => (one.kind === 'agent' ? [one.runId] : []));
  return {
    ...(first.kind === 'wake' ? { mode: first.mode } : { runId: first.runId }),
    ...(!isOne && runIds.length > 0 && { runIds }),
  };
}

/** A rejection as the sender sees it; with `eventId`, what came of it is kept as a failed event. */
export function toRefusal(rejection: Rejection, eventId?: string): HookAnswer {
  const { status, message, code, retryAfterSeconds, known } = rejection;
  const headers: Record<string, string> = {};
  if (status === 401) {
    headers['www-authenticate'] = code === 'invalid_signature' ? 'Signature' : 'Bearer';
  }
  if (code === 'method_not_allowed') headers['allow'] = rejection.detail;
  if (retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  }
  const body = {
    ok: false,
    error: message,
    code,
    ...(eventId !== undefined && { eventId }),
  } satisfies RejectedAnswer;
  return {
    status,
    headers,
    body,
    ...(eventId !== undefined && { eventId }),
    ...(known !== undefined && { known }),
  };
}

/** A rejection for the filters of a host, on a route of its own. */
export function toHttpException(rejection: Rejection): HttpException {
  const { status, body = {} } = toRefusal(rejection);
  return new HttpException(body, status, { cause: rejection });
}

/** Refuses a request on a route of the host's own, for its filters. @throws HttpException for a Rejection; else the error */
export function refuseForHost(error: unknown, reply: FastifyReply): never {
  if (!(error instanceof Rejection)) throw error;
  reply.headers(toRefusal(error).headers ?? {});
  throw toHttpException(error);
}

/** A guard or an interceptor of the host's own said no; the status is its word. Null: nobody did, something broke. */
function parseHostRefusal(error: unknown): HookAnswer | null {
  if (!(error instanceof HttpException)) return null;
  const status = error.getStatus();
  if (status < 400 || status >= 500) return null;
  return { ...toRefusal(new Rejection('refused_by_host')), status };
}

function toText({ text, body }: HookAnswer): string | undefined {
  return text ?? (body === undefined ? undefined : JSON.stringify(body));
}

const JSON_CONTENT = { 'content-type': 'application/json; charset=utf-8' };
const TEXT_CONTENT = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
};
const LONGEST_NAME = 100;
const LONGEST_REASON = 500;
const CLIENT_GONE = 499;

@Injectable()
export class AnswerWriter {
  readonly #logger = new Logger('Hooks');
  readonly #closing: LingeringClose;
  /** A flood is refused with one `Rejection` again and again: that is made into an answer and its text once. */
  readonly #refusals = new WeakMap<Rejection, { answer: HookAnswer; text: string | undefined }>();

  constructor(
    clock: Clock,
    private readonly observer: RequestObserver,
    private readonly mappings: MappingService,
    private readonly refusals: RefusalInbox,
  ) {
    this.#closing = new LingeringClose(clock);
  }

  /** A refusal as it was decided; anything else thrown is our failure, and only the log learns its message. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const exchange = HookExchange.of(request);
    if (reply.sent || exchange?.isAnswered === true) return;
    if (error instanceof ClientGone && exchange !== undefined) {
      exchange.isAnswered = true;
      this.#log(request, CLIENT_GONE);
      return;
    }
    if (error instanceof Rejection) {
      const { answer, text } = this.#refusal(error);
      this.answer(request, reply, answer, text);
      return;
    }
    const refusal = parseHostRefusal(error);
    if (refusal === null)
      this.#logger.error(new LogFields({ error: describe(error), msg: 'a hook request failed' }));
    this.answer(request, reply, refusal ?? toRefusal(new Rejection('internal_error')));
  }

  #refusal(rejection: Rejection): { answer: HookAnswer; text: string | undefined } {
    const known = this.#refusals.get(rejection);
    if (known !== undefined) return known;
    const answer = toRefusal(rejection);
    const refusal = { answer, text: toText(answer) };
    this.#refusals.set(rejection, refusal);
    return refusal;
  }

  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: HookAnswer,
    text = toText(answer),
  ): void {
    const exchange = HookExchange.of(request);
    if (reply.sent || exchange?.isAnswered === true) return;
    if (exchange !== undefined) exchange.isAnswered = true;
    const { status, headers } = answer;
    const content = answer.text === undefined ? JSON_CONTENT : TEXT_CONTENT;
    if (text !== undefined && mayLoseAnswer(request, reply, exchange)) {
      this.#closing.send(reply, status, { ...content, ...headers }, text);
    } else {
      if (headers !== undefined) reply.headers(headers);
      if (text !== undefined) reply.headers(content);
      reply.code(status).send(text);
    }
    if (exchange !== undefined && isRefusal(exchange.call, status))
      this.#noteRefusal(exchange, answer);
    else this.#log(request, status, answer.eventId);
    if (exchange !== undefined && headers?.['idempotent-replayed'] !== undefined)
      this.#noteRepeat(exchange.call, answer);
  }

  #noteRepeat(call: HookCall, { status, eventId }: HookAnswer): void {
    const { client, verifiedBy = null } = call;
    const bytes = announcedBytes(call.raw);
    const repeat = { hook: this.#hookOf(call), name: null, client, status, verifiedBy, bytes };
    this.refusals.addRepeat(repeat, eventId ?? 'of before');
  }

  /** One structured line per accepted request: no payload, no token, no query. */
  #log(request: FastifyRequest, status: number, event: string | null = null): void {
    const exchange = HookExchange.of(request);
    const call = exchange?.call;
    const name = call?.verifiedBy === undefined ? null : shownName(call);
    const ms = exchange?.ms ?? 0;
    // Handshakes tells of questions that nobody signed, and not of each.
    const isQuestion = call !== undefined && name === null && status < 400;
    if (!isQuestion)
      this.#logger.log(new LogFields({ event, hook: name, status, ms: rounded(ms) }));
    this.observer.observe({ hook: call === undefined ? null : reached(call), status, ms });
  }

  /** Told, counted and kept for the operator; a name of the sender's own only where the sender was verified. */
  #noteRefusal({ call, ms }: HookExchange, answer: HookAnswer): void {
    const { client } = call;
    const { status, body = {}, eventId: event = null, known } = answer;
    const code = asText(body['code']);
    const sentence = asText(body['error']);
    const hook = this.#hookOf(call);
    const isNamed = hook === null && call.verifiedBy !== undefined;
    const name = isNamed ? shownName(call) : null;
    const quotes = known === undefined && !isLoggable(code);
    const told = known?.reason ?? sentence;
    const shown = quotes ? hideSecrets(told, secretsOf(call)) : told;
    const reason = shown.slice(0, LONGEST_REASON);
    const bytes = announcedBytes(call.raw);
    const verifiedBy = call.verifiedBy ?? known?.verifiedBy ?? null;
    this.refusals.add(
      { hook, name, client, status, code, reason, verifiedBy, bytes },
      { event, reason: quotes ? null : reason, ms: rounded(ms) },
    );
    this.observer.observe({ hook, status, ms, code });
  }

  /** Only names of the configuration: they are labels of metrics. */
  #hookOf(call: HookCall): string | null {
    return reached(call) ?? this.mappings.hookAt(call.name, call.settings);
  }
}

function reached({ hook, name, settings }: HookCall): string | null {
  return hook ?? builtInHook(name, settings) ?? null;
}

/** What a verified sender asks of its runs can be refused without anything being lost. */
function isRefusal({ question, verifiedBy }: HookCall, status: number): boolean {
  return status >= 400 && (question === undefined || verifiedBy === undefined);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Null where the sender did not say, e.g. of a body in chunks. */
function announcedBytes({ headers }: IncomingMessage): number | null {
  const bytes = Number(headers['content-length'] ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : null;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** A path may bring what no log should keep. */
function shownName(call: HookCall): string {
  const shown = call.request?.name ?? visibleName(call.name, secretsOf(call));
  return shown.slice(0, LONGEST_NAME);
}

/** A refused body is not worth waiting for: then the connection closes, however small the rest. */
function mayLoseAnswer(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  exchange: HookExchange | undefined,
): boolean {
  if (raw.complete || raw.httpVersionMajor > 1) return false;
  const { step } = exchange ?? {};
  return (step !== undefined && READING.has(step)) || isStillSending(raw, reply.raw);
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
}

/** A body up to this size is left to Node, which reads it away and keeps the connection. */
const SMALL_BODY_BYTES = 65_536;
const IDLE_MS = 500;
const LONGEST_MS = 5000;
/** Beyond this many at a time, a client that sends on loses its answer rather than we our time. */
const MOST_AT_ONCE = 32;

/** Whether the client may still be sending so much that a plain answer would be lost in a reset connection. */
function isStillSending(request: IncomingMessage, response: ServerResponse): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding !== undefined) return true;
  return Number(length ?? 0) > (response.shouldKeepAlive ? SMALL_BODY_BYTES : 0);
}

/**
 * Answers first, then reads the body away for a while: ending at once would reset the connection and lose the answer.
 */
class LingeringClose {
  #draining = 0;

  constructor(private readonly clock: Clock) {}

  send(reply: FastifyReply, status: number, headers: Record<string, string>, body: string): void {
    reply.hijack();
    const response = reply.raw;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) response.setHeader(name, value);
    }
    response.writeHead(status, {
      ...headers,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    if (this.#draining >= MOST_AT_ONCE) {
      response.end(body);
      return;
    }
    response.write(body);
    void this.#drain(reply.request.raw, response);
  }

  async #drain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#draining += 1;
    const over = new AbortController();
    let isIdle = true;
    request.on('data', () => (isIdle = false));
    const end = (): void => over.abort();
    // A client that ends half-way: Node would have the host complain on the connection, behind our answer.
    request.socket.prependOnceListener('end', () => {
      response.end();
      request.socket.end();
    });
    request.on('end', end).on('error', end).on('close', end);
    request.resume();
    for (let waited = 0; waited < LONGEST_MS && !over.signal.aborted; waited += IDLE_MS) {
      isIdle = true;
      await this.clock.wait(IDLE_MS, over.signal);
      if (isIdle) break;
    }
    response.end();
    this.#draining -= 1;
  }
}
