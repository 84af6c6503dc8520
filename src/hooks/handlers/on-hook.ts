import type { Type } from '@nestjs/common';
import type {
  TransformedMessage,
  TransformedRun,
  TransformedWake,
} from '../transforms/contract.ts';

/** A verified event that was stored, as its handler gets it. */
export interface HookEvent<T = unknown> {
  /** The same in every attempt: what was done for it once is known by it. */
  readonly id: string;
  /** Id of the mapping, which is that of the handler. */
  readonly hook: string;
  /** How the sender was verified: `github`, `token` or `token ci`. */
  readonly sender: string;
  /** Lower-case names; credentials left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it was parsed, or an instance of `payload` that its decorators found right. */
  readonly payload: T;
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborts when its time is over or the service stops; what the handler returns afterwards is dropped. */
  readonly signal: AbortSignal;
}

/** What else a handler says of its hook. */
export interface OnHookOptions<T = unknown> {
  /** Class with decorators of class-validator. An event that is none fails for good, and its story says why. @default any */
  readonly payload?: Type<T>;
  /** `name` of the ingress. @default the one without a name */
  readonly ingress?: string;
  /** How long an attempt may take, in seconds, over 0. @default 60 */
  readonly timeoutSeconds?: number;
}

/** Nothing is to be done; the event's story says why. */
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

/** Says why nothing is to be done. */
export function skip(reason: string): SkippedEvent {
  return { kind: 'skip', reason };
}

/** Asks for a run of an agent; what is left out is as the templates of the mapping make it. */
export function run(fields: Fields<TransformedRun> = {}): TransformedRun {
  return { ...fields, kind: 'agent' };
}

/** Asks for a line in an agent's main session, and for a heartbeat at once unless `mode` says otherwise. */
export function wake(
  text: string,
  fields: Omit<Fields<TransformedWake>, 'text'> = {},
): TransformedWake {
  return { mode: 'now', ...fields, text, kind: 'wake' };
}

/** Asks for a message to a channel, which no agent writes. */
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
 * Has a method of any provider or controller decide what becomes of the events of a hook: of the mapping with this id,
 * or of the preset, which it enables. It is called once the event is stored and its sender answered; at least once, so
 * that `event.id` tells repeats. A throw is a failed attempt, tried again for a day.
 * @param id of one handler in an ingress; a second one is refused at the start
 */
// oxlint-disable-next-line typescript/no-explicit-any -- without a class, what a payload is the handler says
export function OnHook<T = any>(id: string, options: OnHookOptions<T> = {}) {
  return <H extends Handler<T>>(
    target: object,
    _name: string | symbol,
    { value }: TypedPropertyDescriptor<H>,
  ): void => {
    if (value === undefined || typeof target === 'function')
      throw new TypeError(`@OnHook('${id}') belongs on a method of instances`);
    if ('payload' in options && options.payload === undefined)
      throw new TypeError(`payload of @OnHook('${id}') is undefined: do files import each other?`);
    Reflect.defineMetadata(MARKS, [...marksOf(value), { id, options }], value);
  };
}
