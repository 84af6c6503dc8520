import type { FastifyRequest } from 'fastify';
import type { ResolvedHooksOptions } from '../../options/index.ts';

const CALL = Symbol('hook call');

const NO_BODY = Buffer.alloc(0);

/** What the door knows of one request, from its first check to its answer. */
export class HookCall {
  /** Set once the sender is known; undefined: nobody was let in. */
  verifiedBy: string | undefined;
  /** What the request reached, for metrics; null: nothing yet. */
  endpoint: string | null = null;
  readonly #began = performance.now();
  body: Buffer = NO_BODY;
  /** It was too large, too slow, no JSON, or came too late; the rest of it may still be under way. */
  isBodyRefused = false;
  isAnswered = false;
  #type: string | undefined;
  #length: string | undefined;
  #coding: string | undefined;

  constructor(
    /** Sub-path under the prefix, as it came. */
    readonly name: string,
    /** The settings the request began with; a reload does not change them. */
    readonly settings: ResolvedHooksOptions,
    readonly client: string,
    readonly receivedAt: number,
  ) {}

  /** Milliseconds since the request came, with fractions. */
  get ms(): number {
    return performance.now() - this.#began;
  }

  /** Until {@link showBodyHeaders}, nobody sees that this request has a body. */
  hideBodyHeaders({ raw: { headers } }: FastifyRequest): void {
    this.#type = headers['content-type'];
    this.#length = headers['content-length'];
    this.#coding = headers['transfer-encoding'];
    headers['content-type'] = undefined;
    headers['content-length'] = undefined;
    headers['transfer-encoding'] = undefined;
  }

  showBodyHeaders({ raw: { headers } }: FastifyRequest): void {
    headers['content-type'] = this.#type;
    headers['content-length'] = this.#length;
    headers['transfer-encoding'] = this.#coding;
  }
}

type Visited = FastifyRequest & { [CALL]?: HookCall };

/** Remembers what the door knows on the request itself. */
export function noteCall(request: FastifyRequest, call: HookCall): void {
  (request as Visited)[CALL] = call;
}

/** What the door knows of this request; undefined when it never came through the door. */
export function callOf(request: FastifyRequest): HookCall | undefined {
  return (request as Visited)[CALL];
}
