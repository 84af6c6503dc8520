import { HttpException } from '@nestjs/common';
import { LedgerUnavailable, Rejection } from '../hooks/index.ts';
import { SERVICE_REFUSALS, errorBody } from './service-refusals.ts';
import type { ErrorBody, ServiceRefusalCode } from './service-refusals.ts';

/** A refusal or failure as it is sent. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly retryAfterSeconds?: number | undefined;
}

/** What is answered for anything that was thrown: its own words when it has some for a client, else a fixed text. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof LedgerUnavailable) return errorAnswer(new Rejection('store_unavailable'));
  if (error instanceof Rejection) {
    const { status, code, message, retryAfterSeconds } = error;
    return { status, body: { ok: false, error: message, code }, retryAfterSeconds };
  }
  const own = ownBody(error);
  const status = statusOf(error);
  if (own !== undefined) return { status, body: own, retryAfterSeconds: retryAfterOf(error) };
  const code = codeOf(status);
  return {
    status: code === 'bad_request' ? status : SERVICE_REFUSALS[code].status,
    body: errorBody(code),
  };
}

/** Nest's exceptions and Fastify's errors say their status; everything else is our own mistake. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error) || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' ? error.statusCode : 500;
}

/** A refusal of a module of ours brings its body along. */
function ownBody(error: unknown): ErrorBody | undefined {
  const body = error instanceof HttpException ? error.getResponse() : undefined;
  return isErrorBody(body) ? body : undefined;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'ok' in body && 'code' in body;
}

function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('retryAfterSeconds' in error)) return undefined;
  return typeof error.retryAfterSeconds === 'number' ? error.retryAfterSeconds : undefined;
}

function codeOf(status: number): ServiceRefusalCode {
  if (status === 404) return 'not_found';
  if (status === 414) return 'url_too_long';
  return status >= 400 && status < 500 ? 'bad_request' : 'internal_error';
}
