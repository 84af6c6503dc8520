import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { OptionalPackageError, loadOptionalPackage } from './optional-package.ts';
import { packageVersion } from './package-version.ts';

// Known here by its API alone. An SDK is the host's, or is preloaded (`node --import`). State of the process.

type Api = typeof import('@opentelemetry/api');

let tracing: { readonly api: Api; readonly tracer: Tracer } | undefined;

/** Where every copy of the API, of any 1.x, keeps what was registered (its `global-utils.ts`). */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** Finds what was registered by now. Where nothing was, nothing is imported and nothing will be traced. */
export async function findTracing(): Promise<void> {
  if (tracing !== undefined || !(REGISTERED in globalThis)) return;
  try {
    const api = await loadOptionalPackage('@opentelemetry/api', () => import('@opentelemetry/api'));
    tracing ??= { api, tracer: api.trace.getTracer('nestjs-agent-hooks', packageVersion()) };
  } catch (error) {
    if (!(error instanceof OptionalPackageError)) throw error;
  }
}

/** What is about to be done. Names and attributes hold nothing that was sent or said. */
export interface SpanStart {
  readonly name: string;
  /** @default 'INTERNAL' */
  readonly kind?: 'CONSUMER' | 'PRODUCER' | 'INTERNAL';
  readonly attributes?: Attributes;
  /** A `traceparent`: what it continues, unless it is part of something that is under way here. */
  readonly parent?: string | undefined;
  /** True: it is part of nothing that is under way here. @default false */
  readonly isDetached?: boolean;
  /** Epoch milliseconds. @default now */
  readonly startTime?: number;
}

export interface OpenSpan {
  set(attributes: Attributes): void;
  /** It ended badly. @param type one word of ours */
  fail(type: string): void;
  /** Nothing was done: nobody is told of it. */
  drop(): void;
}

const UNTRACED: OpenSpan = { set: () => {}, fail: () => {}, drop: () => {} };

/** Does it as a span, the parent of all that it begins; where nothing is traced it is simply done. */
export function traced<T>(start: SpanStart, act: (span: OpenSpan) => Promise<T>): Promise<T> {
  return tracing === undefined ? act(UNTRACED) : recorded(tracing, start, act);
}

async function recorded<T>(
  { api, tracer }: NonNullable<typeof tracing>,
  start: SpanStart,
  act: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  const { name, kind = 'INTERNAL', attributes = {}, startTime } = start;
  const parent = parentOf(api, start);
  const options = { kind: api.SpanKind[kind], attributes, ...(startTime && { startTime }) };
  const span = tracer.startSpan(name, options, parent);
  let isDropped = false;
  const open: OpenSpan = {
    set: (known) => void span.setAttributes(known),
    fail: (type) => failed(api, span, type),
    drop: () => (isDropped = true),
  };
  try {
    return await api.context.with(api.trace.setSpan(parent, span), () => act(open));
  } catch (error) {
    failed(api, span, error instanceof Error ? error.name : typeof error);
    throw error;
  } finally {
    // One that never ends is never exported.
    if (!isDropped) span.end();
  }
}

/** The `traceparent` of what is under way; undefined: nothing is traced. */
export function activeTrace(): string | undefined {
  if (tracing === undefined) return undefined;
  const { api } = tracing;
  const context = api.trace.getActiveSpan()?.spanContext();
  if (context === undefined || !api.isSpanContextValid(context)) return undefined;
  const flags = context.traceFlags.toString(16).padStart(2, '0');
  return `00-${context.traceId}-${context.spanId}-${flags}`;
}

/** Of W3C's Trace Context, version 00, which later versions begin with. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** A sender's `traceparent`, if it is one, without what later versions add. */
export function asTraceparent(header: string | undefined): string | undefined {
  const [found] = header === undefined ? [] : (TRACEPARENT.exec(header) ?? []);
  return found?.slice(0, 55);
}

function parentOf(
  { trace, context, ROOT_CONTEXT }: Api,
  { parent = '', isDetached = false }: SpanStart,
): Context {
  const active = isDetached ? ROOT_CONTEXT : context.active();
  const [, traceId, spanId = '', flags = ''] = TRACEPARENT.exec(parent) ?? [];
  if (traceId === undefined || trace.getSpan(active) !== undefined) return active;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(active, { traceId, spanId, traceFlags, isRemote: true });
}

function failed({ SpanStatusCode }: Api, span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}
