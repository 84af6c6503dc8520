import { Injectable, UseInterceptors, applyDecorators, createParamDecorator } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom } from 'rxjs';
import type { Observable } from 'rxjs';
import type { AuditedState } from '../../hooks/index.ts';
import { getText, isRecord, parseJson } from '../../platform/objects.ts';
import { AuditTrail } from '../audit-trail.ts';
import { errorAnswer } from '../refusals.ts';
import { Needs, operatorOf } from './access/operators.ts';
import { TrustedProxies } from './access/trusted-proxies.ts';

/**
 * What a handler adds to the entry of its change. Without it the entry has the route, its query, and the numbers and
 * flags of the answer.
 */
export class Change {
  /** What it is done to; undefined: what the route says. */
  subject: string | undefined;
  before: AuditedState | null = null;
  /** Undefined: the figures of the answer. */
  after: AuditedState | undefined;
  outcome = 'done';

  /** For an answer that a sender would be given. @param body JSON */
  answered(status: number, body: unknown): void {
    const told = typeof body === 'string' ? parseJson(body) : body;
    const eventId = getText(told, 'eventId');
    if (eventId !== undefined) this.after = { eventId };
    if (status >= 400) this.outcome = getText(told, 'code') ?? `answer_${status}`;
  }
}

const CHANGES = new WeakMap<FastifyRequest, Change>();

function changeOf(request: FastifyRequest): Change {
  const known = CHANGES.get(request) ?? new Change();
  CHANGES.set(request, known);
  return known;
}

export const Changing = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  changeOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Writes down what an operator does by a route, done or refused, before it is answered. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly trail: AuditTrail,
    private readonly proxies: TrustedProxies,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return from(this.#written(context.switchToHttp().getRequest<FastifyRequest>(), next));
  }

  async #written(request: FastifyRequest, next: CallHandler<unknown>): Promise<unknown> {
    const change = changeOf(request);
    // A body that is given up takes the connection, and with it the address, along.
    const client = this.proxies.clientOf(request);
    try {
      const answer = await lastValueFrom(next.handle(), { defaultValue: undefined });
      change.after ??= figuresOf(answer);
      return answer;
    } catch (error) {
      change.outcome = errorAnswer(error).body.code;
      throw error;
    } finally {
      await this.#write(request, client, change);
    }
  }

  async #write(request: FastifyRequest, client: string, change: Change): Promise<void> {
    const { subject, before, after, outcome } = change;
    const { url = '' } = request.routeOptions;
    // Below whatever path the console is mounted at.
    const route = url.slice(Math.max(0, url.lastIndexOf('/ops/api/')));
    await this.trail.record({
      actor: operatorOf(request)?.id ?? 'unknown',
      client,
      operation: `${request.method} ${route}`,
      subject: subject ?? subjectOf(request),
      outcome,
      before,
      after: outcome === 'done' ? (after ?? null) : null,
    });
  }
}

/** Declares a route that changes something: the role that it needs; and whoever has it leaves an entry in the audit. */
export const Changes = (role: 'operate' | 'configure'): MethodDecorator =>
  applyDecorators(Needs(role), UseInterceptors(AuditInterceptor));

/** What of a query says how much is asked for, and not what of. */
const PAGING = ['limit', 'cursor'];

function subjectOf({ params, query }: FastifyRequest): string | null {
  const named = Object.values(isRecord(params) ? params : {});
  const asked = Object.entries(isRecord(query) ? query : {})
    .filter(([name]) => !PAGING.includes(name))
    .map(([name, value]) => `${name}=${String(value)}`);
  return [...named, ...asked].join(' ') || null;
}

function figuresOf(answer: unknown): AuditedState | undefined {
  if (!isRecord(answer)) return undefined;
  const figures = Object.entries(answer).filter(
    ([name, value]) => name !== 'ok' && ['number', 'boolean'].includes(typeof value),
  );
  return figures.length === 0 ? undefined : Object.fromEntries(figures);
}
