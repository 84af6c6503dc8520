import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { newId } from '../../platform/new-id.ts';
import { HookPreview } from './hook-preview.ts';
import type { Preview, PreviewRequest } from './hook-preview.ts';
import { bodyLimits } from '../http/body.ts';
import { FastifyIngress } from '../http/fastify-ingress.ts';
import { HookIngress } from '../http/hook-ingress.ts';
import { PathRules } from '../http/path-rules.ts';
import { getIdempotencyKey } from '../http/request.ts';
import type { HookAnswer } from '../http/hook-call.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock, EventStore } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { MappingTrials } from './mapping-trial.ts';
import type { MappingTrial } from './mapping-trial.ts';
import { storedHookRequest } from '../http/stored-request.ts';
import { toHookRequest } from './requests-without-http.ts';
import type { OwnRequest } from './requests-without-http.ts';

/**
 * The sender that stories and prompts name where none proved itself; a token of `hooks.tokens` shows as `token <id>`
 * and cannot be taken for it.
 */
const OPERATOR = 'operator';

/** What became of the attempt to replay an event. `pruned`: its payload was forgotten (`store.payloadDays`). */
export type ReplayOutcome =
  | { readonly outcome: 'replayed'; readonly answer: HookAnswer }
  | { readonly outcome: 'unknown' | 'pruned' };

/** A request as a sender makes it, byte for byte. */
export interface PostedRequest {
  /** What stands behind the prefix, as it goes on the wire. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What its sender would be answered. */
export interface PostedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TOLD = ['content-type', 'idempotent-replayed', 'retry-after', 'www-authenticate', 'allow'];

/**
 * What an operator does with requests besides receiving them: look at what one would do, send one, or send a stored one
 * again. Everything but {@link preview} and {@link tryMapping} makes an event of its own, by the same way as everybody's.
 */
@Injectable()
export class OperatorRequests {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly routes: FastifyIngress,
    private readonly ingress: HookIngress,
    private readonly rules: PathRules,
    private readonly previews: HookPreview,
    private readonly trials: MappingTrials,
    private readonly events: EventStore,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** What would become of a request with a right token or signature, without any effect. */
  preview(request: PreviewRequest): Promise<Preview> {
    return this.previews.of(request);
  }

  /** What would become of an earlier event's request today. `pruned`: its payload was forgotten. */
  previewEvent(eventId: string): Promise<Preview | 'unknown' | 'pruned'> {
    return this.previews.ofEvent(eventId);
  }

  /**
   * What a mapping would have made of at most 200 events of seven days, in two seconds.
   * @param mapping as the configuration would have it; kept nowhere
   */
  tryMapping(mapping: unknown): Promise<MappingTrial> {
    return this.trials.of(mapping);
  }

  /**
   * Sends a request verified by `operator`, as an event of its own unless it has an idempotency key.
   * @throws Rejection when the configuration refuses it
   */
  async send(own: OwnRequest): Promise<HookAnswer> {
    const settings = this.settings.current;
    const { hooks } = settings;
    if (!hooks.enabled) throw new Rejection('unknown_hook');
    const rule = this.rules.get(settings, own.hook);
    const receivedAt = this.clock.now();
    const context = { settings, rule, client: OPERATOR, verifiedBy: OPERATOR, receivedAt };
    const written = toHookRequest(own, context);
    const { maxBodyBytes: most } = rule?.limits ?? bodyLimits(hooks);
    if (Buffer.byteLength(written.payloadText) > most) {
      throw new Rejection('payload_too_large', String(most));
    }
    const idempotencyKey = getIdempotencyKey(written.headers) ?? newId();
    const request = { ...written, idempotencyKey };
    return this.ingress.accept(request, await this.ingress.resolve(request));
  }

  /**
   * Posts to the hooks of this application without a connection.
   * @throws Rejection unknown_hook for a name that no request line has; Error where nothing is served
   */
  async post({ name, headers, query, body }: PostedRequest): Promise<PostedAnswer> {
    const { prefix } = this.routes;
    if (prefix === undefined) throw new Error('the hooks are not served');
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const url = `${prefix}/${name}`;
    // Another spelling could lead past the hooks, to a route that trusts this machine.
    if (URL.parse(url, 'http://localhost')?.pathname !== url) throw new Rejection('unknown_hook');
    const answer = await fastify.inject({ method: 'POST', url, headers, query, payload: body });
    const told = TOLD.flatMap((header): [string, string][] => {
      const value = answer.headers[header];
      return value === undefined ? [] : [[header, String(value)]];
    });
    return { status: answer.statusCode, headers: Object.fromEntries(told), body: answer.body };
  }

  /**
   * Sends a stored request once more, as a new event that names its origin.
   * @throws Rejection when the present configuration refuses the request.
   */
  async replay(eventId: string): Promise<ReplayOutcome> {
    const now = { settings: this.settings.current, receivedAt: this.clock.now() };
    const request = await storedHookRequest(this.events, eventId, now);
    if (typeof request === 'string') return { outcome: request };
    if (!request.settings.hooks.enabled) throw new Rejection('unknown_hook');
    const answer = await this.ingress.accept(request, await this.ingress.resolve(request));
    return { outcome: 'replayed', answer };
  }
}
