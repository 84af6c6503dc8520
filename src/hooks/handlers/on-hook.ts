import type { Type } from '@nestjs/common';
import type {
  TransformedMessage,
  TransformedRun,
  TransformedWake,
} from '../transforms/contract.ts';

/** A verified and stored event, as its handler receives it. */
export interface HookEvent<T = unknown> {
  /** The same in every attempt: use it to detect repeats. */
  readonly id: string;
  /** Id of the mapping, as given to `@OnHook`. */
  readonly hook: string;
  /** How the sender was verified: `github`, `token` or `token ci`. */
  readonly sender: string;
  /** Names in lower case; credentials are left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body, numbers as `JSON.parse` reads them; a validated instance where the options name a class. */
  readonly payload: T;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborts on the timeout and when the service stops; a result that comes later is dropped. */
  readonly signal: AbortSignal;
}

/** Options of {@link OnHook}. */
export interface OnHookOptions<T = unknown> {
  /** Class with class-validator decorators. An invalid payload fails the event for good. @default not validated */
  readonly payload?: Type<T>;
  /** `name` of the ingress. @default the one without a name */
  readonly ingress?: string;
  /** Longest time of an attempt, in seconds, over 0. @default 60 */
  readonly timeoutSeconds?: number;
}

interface SkippedEvent {
  readonly kind: 'skip';
  readonly reason: string;
}

type Fields<T> = Omit<T, 'kind'>;

/**
 * What a handler returns: {@link skip}, {@link run}, {@link wake}, {@link deliver}, or at most 200 of the last three.
 * Nothing: the event is done.
 */
export type HookResult =
  | SkippedEvent
  | TransformedRun
  | TransformedWake
  | TransformedMessage
  | readonly (TransformedRun | TransformedWake | TransformedMessage)[]
  | undefined
  | void;

/** Ends the event without an action. Its story shows the reason, at most 1,000 characters of it. */
export function skip(reason: string): SkippedEvent {
  return { kind: 'skip', reason };
}

/** Asks for an agent run. Fields left out come from the templates of the mapping. */
export function run(fields: Fields<TransformedRun> = {}): TransformedRun {
  return { ...fields, kind: 'agent' };
}

/** Adds a line to an agent's main session; a heartbeat follows at once unless `mode` is `next-heartbeat`. */
export function wake(
  text: string,
  fields: Omit<Fields<TransformedWake>, 'text'> = {},
): TransformedWake {
  return { mode: 'now', ...fields, text, kind: 'wake' };
}

/** Sends a message to a channel, without an agent. */
export function deliver(fields: Fields<TransformedMessage>): TransformedMessage {
  return { ...fields, kind: 'deliver' };
}

export interface HandlerMark {
  readonly id: string;
  readonly options: OnHookOptions;
}

const MARKS = Symbol('hooks that a method handles');

export function marksOf(method: unknown): readonly HandlerMark[] {
  return typeof method === 'function' ? (Reflect.getMetadata(MARKS, method) ?? []) : [];
}

type Handler<T> = (event: HookEvent<T>) => HookResult | Promise<HookResult>;

/**
 * Marks a method of a provider or controller as the handler of a hook: of the mapping with this id, or of the preset,
 * which it enables. It is called after the event is stored and the sender answered, at least once: `event.id` tells
 * repeats. A throw is a failed attempt, retried for `channels.retryHours`, 24 by default.
 * @param id a second handler of an id in one ingress is refused at the start
 * @throws TypeError on a static method or an accessor
 */
// oxlint-disable-next-line typescript/no-explicit-any -- without a class the handler declares what the payload is
export function OnHook<T = any>(id: string, options: OnHookOptions<T> = {}) {
  return <H extends Handler<T>>(
    target: object,
    _name: string,
    { value }: TypedPropertyDescriptor<H>,
  ): void => {
    if (value === undefined || typeof target === 'function') {
      throw new TypeError(`@OnHook('${id}') belongs on a method that is not static`);
    }
    if ('payload' in options && options.payload === undefined)
      throw new TypeError(`payload of @OnHook('${id}') is undefined: do files import each other?`);
    Reflect.defineMetadata(MARKS, [...marksOf(value), { id, options }], value);
  };
}
