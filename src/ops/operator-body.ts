import { Readable } from 'node:stream';
import type { ClassConstructor } from 'class-transformer';
import { validate } from 'class-validator';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Rejection, parseJson } from '../hooks/index.ts';
import { reasons } from './query-validation.pipe.ts';
import { OpsRefusal } from './refusal.ts';

/** Largest body the operator API takes, in bytes: room for any payload that a hook would take by default. */
const LARGEST_BODY = 2 * 1024 * 1024;

const WANTS_BODY = Symbol('wants body');

/** Marks a route that reads its body itself, after its guard. */
export const TakesBody = (): MethodDecorator => RouteConfig({ [WANTS_BODY]: true });

/** Whether the body of this request is to be left unread for its route. */
export function wantsBody({ routeOptions }: FastifyRequest): boolean {
  return Reflect.get(routeOptions.config, WANTS_BODY) === true;
}

/** Reads and checks a JSON body. @throws OpsRefusal 400, 413 */
export async function bodyOf<T extends object>(
  { body }: FastifyRequest,
  type: ClassConstructor<T>,
): Promise<T> {
  const given = parsed(await bytesOf(body instanceof Readable ? body : Readable.from([])));
  // Not class-transformer: it would walk into payloads and fail at what they may hold, such as a key `constructor`.
  const value: T = Object.assign(new type(), given);
  const errors = await validate(value, { whitelist: true, forbidNonWhitelisted: true });
  if (errors.length > 0) throw new OpsRefusal('invalid_body', reasons(errors));
  return value;
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY) throw new OpsRefusal('body_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(bytes: Buffer): object {
  try {
    const { value } = parseJson(bytes);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      if (!Object.hasOwn(value, 'constructor')) return value;
      throw new OpsRefusal('invalid_body', 'property constructor should not exist');
    }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
  }
  throw new OpsRefusal('invalid_body', 'it must be a JSON object of at most 1,000 levels');
}
