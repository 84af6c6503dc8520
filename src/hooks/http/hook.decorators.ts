// Parameters of our controllers. `mount()` reads each value after the body; Nest itself asks only for those on a route
// of the host's own.
import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext, PipeTransform, Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HookCall } from './hook-call.ts';
import { parseQuery } from './request.ts';

/** The value of a parameter on a mounted route. */
export type ReadParameter = (call: HookCall, reply: FastifyReply) => unknown;

const parameter: (
  read: ReadParameter,
  ...pipes: (PipeTransform | Type<PipeTransform>)[]
) => ParameterDecorator = createParamDecorator(
  (_: ReadParameter, context: ExecutionContext): unknown =>
    context.switchToHttp().getRequest<FastifyRequest>().body,
);

/**
 * The parsed body of a request, through pipes: `@HookBody(HookValidationPipe) order: OrderPayload`. On a route of the
 * host's own it is what the host's parser made of it, and global pipes see it as a custom parameter.
 */
export function HookBody(...pipes: (PipeTransform | Type<PipeTransform>)[]): ParameterDecorator {
  return parameter(({ request }) => request?.payload, ...pipes);
}

/** First values of the query, all of them texts, through pipes. */
export function HookQuery(...pipes: (PipeTransform | Type<PipeTransform>)[]): ParameterDecorator {
  return parameter(({ raw }) => parseQuery(raw.url ?? ''), ...pipes);
}

/** The {@link HookRequest}: verified, and its body parsed. */
export function CurrentRequest(): ParameterDecorator {
  return parameter(({ request }) => request);
}

/** The mapping that takes the request, or why none does; undefined where an agent tells of its run. */
export function CurrentMapping(): ParameterDecorator {
  return parameter(({ mapping }) => mapping);
}

/** The {@link HookCall}: all that is known of the request. */
export function CurrentCall(): ParameterDecorator {
  return parameter((call) => call);
}

/** An `AbortSignal` that is aborted when the client has gone. */
export function ClientSignal(): ParameterDecorator {
  return parameter((_call, { raw: response }) => {
    const gone = new AbortController();
    if (response.destroyed) gone.abort();
    else response.once('close', () => gone.abort());
    return gone.signal;
  });
}
