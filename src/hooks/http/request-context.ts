import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { HookRequest } from '../actions/hook-request.ts';
import type { KnownSender } from '../rejection.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import type { PathRule } from './path-rules.ts';
import type { PathSigner } from './path-signer.ts';
import type { RunQuestion } from './run-question.ts';

/**
 * What is sent back: decided as data, written by the `AnswerWriter`.
 * @publicApi
 */
export interface HookAnswer {
  readonly status: number;
  /** Absent for 204. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Instead of `body`: plain text, which no browser takes for anything else. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log. */
  readonly eventId?: string;
  /** Never sent. */
  readonly known?: KnownSender;
}

/**
 * How a sender counts as verified whom no guard of ours has seen: a host replaced `HookGuard`, and vouches for whoever its
 * own guard lets in.
 */
export const VERIFIED_BY_HOST = 'application guard';

const CONTEXT = Symbol('hook request context');

type Visited = FastifyRequest & { [CONTEXT]?: RequestContext };

/** The request that is being handled; pipes of Nest are told of no request. */
const handled = new AsyncLocalStorage<RequestContext>();

/** What the ingress knows of one request, from its first check to its answer. */
export class RequestContext {
  /** How the sender proved who it is; undefined: nobody was let in. */
  verifiedBy: string | undefined;
  /** `wake`, `agent`, `runs` or the id of the mapping that matched, for metrics; never a name from the URL. */
  hook: string | null = null;
  /** Set when a run is asked for, and no hook. */
  question: RunQuestion | undefined;
  /** What the configuration says of this path before the payload is known. */
  rule: PathRule | undefined;
  /** Set by the guard: the sender has to sign, and this is what its body is verified with. */
  signer: PathSigner | undefined;
  /** What its signature says, once it is verified. */
  signature: HookRequest['signature'];
  /** What may be shown to nobody, once somebody asked (`secretsOf`). */
  secrets: readonly string[] | undefined;
  /** The body as the host's plugins hand it on, unread. */
  payload: Readable | undefined;
  /** The body is being read, or reading it ended early: the rest of it may still be under way. */
  isBodyRefused = false;
  isAnswered = false;
  /** What is to be sent: decided by a pipe or the handler, written when Nest's chain has ended. */
  outcome: { readonly answer: HookAnswer } | { readonly error: unknown } | undefined;
  #handling: Promise<void> | undefined;
  readonly #began = performance.now();
  #reading: Promise<HookRequest> | undefined;
  #hidden: Pick<
    FastifyRequest['headers'],
    'content-type' | 'content-length' | 'transfer-encoding'
  > = {};

  constructor(
    /** Sub-path under the prefix, as it came. */
    readonly name: string,
    /** The settings the request began with; a reload does not change them. */
    readonly settings: ResolvedHooksOptions,
    /** Address of whoever sent it. */
    readonly client: string,
    /** Epoch milliseconds. */
    readonly receivedAt: number,
    private readonly readBody: (context: RequestContext) => Promise<HookRequest>,
  ) {}

  /** The context of a request to this module's routes; undefined for any other request. */
  static get(request: FastifyRequest): RequestContext | undefined {
    return (request as Visited)[CONTEXT];
  }

  static set(request: FastifyRequest, context: RequestContext): void {
    (request as Visited)[CONTEXT] = context;
  }

  /** The well-formed request; read once, whoever asks: every parameter of a handler, every retry of the host's. */
  read(): Promise<HookRequest> {
    return (this.#reading ??= this.readBody(this));
  }

  /**
   * A failure of a pipe or the handler is the outcome and no exception: interceptors of the host's have nothing to
   * catch, to replace or to retry.
   */
  fail(error: unknown): undefined {
    this.outcome ??= { error };
    return undefined;
  }

  /** Runs the handler, unless a pipe has refused; once, however often the host's interceptors ask for it. */
  handle(handler: () => Promise<HookAnswer>): Promise<void> {
    return (this.#handling ??= this.#handle(handler));
  }

  async #handle(handler: () => Promise<HookAnswer>): Promise<void> {
    if (this.outcome !== undefined) return;
    try {
      const answer = await handler();
      this.outcome ??= { answer };
    } catch (error) {
      this.fail(error);
    }
  }

  /** The context of the request that is being handled. @throws Error outside of the ingress's own handlers. */
  static get current(): RequestContext {
    const context = handled.getStore();
    if (context === undefined) throw new Error('a hook route was reached without its ingress');
    return context;
  }

  /**
   * From here on, this is {@link current}. Entered where Nest names the request for the last time, at a handler's
   * parameters, and not before: a request that the guard refuses pays nothing for it.
   */
  enter(): void {
    if (handled.getStore() !== this) handled.enterWith(this);
  }

  /** Milliseconds since the request came, with fractions. */
  get ms(): number {
    return performance.now() - this.#began;
  }

  /** Until {@link showBody}, nobody sees that this request has a body: no parser of the host's touches it. */
  hideBody({ raw: { headers } }: FastifyRequest, payload: Readable): void {
    this.payload = payload;
    // A plugin that listens to the body has set it flowing; nothing of it may pass before we listen, too.
    if (payload.readableFlowing === true) payload.pause();
    this.#hidden = {
      'content-type': headers['content-type'],
      'content-length': headers['content-length'],
      'transfer-encoding': headers['transfer-encoding'],
    };
    headers['content-type'] = undefined;
    headers['content-length'] = undefined;
    headers['transfer-encoding'] = undefined;
  }

  showBody({ raw: { headers } }: FastifyRequest): void {
    Object.assign(headers, this.#hidden);
  }
}
