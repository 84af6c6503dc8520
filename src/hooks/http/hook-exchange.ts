import { HttpException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Rejection } from '../ports/rejection.ts';
import type { HookAnswer, HookCall } from './hook-call.ts';
import type { IngressDeps, Step } from './steps.ts';

const EXCHANGE = Symbol('hook exchange');

type Visited = FastifyRequest & { [EXCHANGE]?: HookExchange };

type Outcome = { readonly answer: HookAnswer } | { readonly error: unknown };

/** Its outcome is data and no exception, decided once: interceptors of the host's have nothing to catch or to retry. */
export class HookExchange {
  /** An answer was written, or nobody is left to answer to. */
  isAnswered = false;
  #call: HookCall;
  #step: Step | undefined;
  #outcome: Outcome | undefined;
  #handling: Promise<void> | undefined;
  readonly #deps: IngressDeps;

  constructor(call: HookCall, deps: IngressDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** The exchange of a request to this module's routes; undefined for any other request. */
  static of(request: FastifyRequest): HookExchange | undefined {
    return (request as Visited)[EXCHANGE];
  }

  static set(request: FastifyRequest, exchange: HookExchange): void {
    (request as Visited)[EXCHANGE] = exchange;
  }

  get call(): HookCall {
    return this.#call;
  }

  get step(): Step | undefined {
    return this.#step;
  }

  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Milliseconds since the request came, with fractions. */
  get ms(): number {
    return performance.now() - this.#call.began;
  }

  learn(call: HookCall): void {
    this.#call = call;
  }

  /**
   * Not a promise while no step is one. @returns false: a step has answered. @throws Rejection, ClientGone (or rejects)
   */
  walk(steps: readonly Step[], from = 0): boolean | Promise<boolean> {
    for (let at = from; at < steps.length; at += 1) {
      const step = steps[at]!;
      this.#step = step;
      const next = step(this.#call, this.#deps);
      if (next instanceof Promise) {
        return next.then((settled) => this.#take(settled) && this.walk(steps, at + 1));
      }
      if (!this.#take(next)) return false;
    }
    return true;
  }

  /** A pipe's exception stands for the rejection that it was made of. */
  fail(error: unknown): void {
    const cause = error instanceof HttpException ? error.cause : undefined;
    this.#outcome ??= { error: cause instanceof Rejection ? cause : error };
  }

  /**
   * Takes the steps, then runs the handler, unless the outcome is decided; once, however often the host's interceptors
   * ask for it. What they throw is the outcome.
   */
  handle(steps: readonly Step[], handler: (call: HookCall) => Promise<HookAnswer>): Promise<void> {
    return (this.#handling ??= this.#handle(steps, handler));
  }

  async #handle(
    steps: readonly Step[],
    handler: (call: HookCall) => Promise<HookAnswer>,
  ): Promise<void> {
    try {
      if (this.#outcome !== undefined || !(await this.walk(steps))) return;
      const answer = await handler(this.#call);
      this.#outcome ??= { answer };
    } catch (error) {
      this.fail(error);
    }
  }

  #take(next: HookCall | HookAnswer): boolean {
    this.#step = undefined;
    if ('status' in next) {
      this.#outcome ??= { answer: next };
      return false;
    }
    this.#call = next;
    return true;
  }
}
