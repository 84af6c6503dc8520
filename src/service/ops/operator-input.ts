import { Readable } from 'node:stream';
import { Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Type } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import {
  Allow,
  IsIn,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateBy,
  validate,
} from 'class-validator';
import type { FastifyInstance, FastifyRequest, RouteOptions, preParsingHookHandler } from 'fastify';
import { Rejection, parseJson } from '../../hooks/index.ts';
import { isRecord } from '../../platform/objects.ts';
import { Refusal } from '../refusals.ts';

// Bodies are not read before the guard has let the operator in: a route that takes one is marked, and reads it itself.

/** Largest body the operator API takes, in bytes: room for any payload that a hook would take by default. */
const LARGEST_BODY = 2 * 1024 * 1024;

const WANTS_BODY = Symbol('wants body');

/** Marks a route that reads its body itself, after its guard. */
export const TakesBody = (): MethodDecorator => RouteConfig({ [WANTS_BODY]: true });

/** Whether the body of this request is to be left unread for its route. */
export function wantsBody({ routeOptions }: FastifyRequest): boolean {
  return Reflect.get(routeOptions.config, WANTS_BODY) === true;
}

const UNREAD = new WeakMap<FastifyRequest, Readable>();

/** In an application whose parsers read every body: those of our marked routes are left to us. */
export function leaveBodiesUnread(host: HttpAdapterHost): void {
  // Routes are registered before any hook of a module's life.
  host.init$.subscribe(() => {
    if (host.httpAdapter?.getType() !== 'fastify') return;
    host.httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', (route: RouteOptions) => {
      if (Reflect.get(route.config ?? {}, WANTS_BODY) !== true) return;
      const leaveUnread: preParsingHookHandler = (request, _reply, payload, done) => {
        UNREAD.set(request, payload);
        // Without them there is nothing to parse.
        const { headers } = request.raw;
        for (const name of BODY_HEADERS) headers[name] = undefined;
        done(null, payload);
      };
      route.preParsing = [...[route.preParsing ?? []].flat(), leaveUnread];
    });
  });
}

const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding'] as const;

/** Reads and checks a JSON body of at most `largest` bytes. @throws Refusal 400, 413 */
export async function readBody<T extends object>(
  request: FastifyRequest,
  type: ClassConstructor<T>,
  largest = LARGEST_BODY,
): Promise<T> {
  const { body } = request;
  const unread = UNREAD.get(request) ?? Readable.from([]);
  const stream = body instanceof Readable ? body : unread;
  const given = parseObject(await readBytes(stream, largest));
  // Not class-transformer: it would walk into payloads and fail at what they may hold, such as a key `constructor`.
  const value: T = Object.assign(new type(), given);
  const errors = await validate(value, { whitelist: true, forbidNonWhitelisted: true });
  if (errors.length > 0) throw new Refusal('invalid_body', reasons(errors));
  return value;
}

/** @throws Refusal 413 as soon as it is too long */
async function readBytes(stream: Readable, largest: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > largest) throw new Refusal('body_too_large', sizeOf(largest));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sizeOf(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
}

/** @throws Refusal 400 for anything that is no JSON object */
function parseObject(bytes: Buffer): object {
  try {
    const { value } = parseJson(bytes);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      if (!Object.hasOwn(value, 'constructor')) return value;
      throw new Refusal('invalid_body', 'property constructor should not exist');
    }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
  }
  throw new Refusal('invalid_body', 'it must be a JSON object of at most 1,000 levels');
}

/** A number or an id, by which ledgers say where a page has ended. */
const CURSOR = String.raw`(?:-?\d{1,16}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})`;

export class LimitQuery {
  /** Most rows of one answer, 1 to 200. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit = 50;
}

/** A query whose answer is a page of rows; what it can be narrowed by comes on top. */
export class PageQuery extends LimitQuery {
  /** `nextCursor` of the answer before. */
  @IsOptional()
  @Matches(new RegExp(`^${CURSOR}$`), { message: 'cursor must be the nextCursor of an answer' })
  cursor?: string;
}

/** Turns a query into its DTO; an unknown name or a bad value is refused with every reason. */
@Injectable()
export class QueryPipe extends ValidationPipe {
  constructor() {
    super({
      // Or Nest would load a second copy: ours is part of the bundle (scripts/bundle-service.mjs).
      validatorPackage: { validate },
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      exceptionFactory: (errors) => new Refusal('invalid_query', reasons(errors)),
    });
  }
}

/**
 * Milliseconds of a time that was found to be ISO 8601.
 * @throws Refusal invalid_query for weeks and other forms that are no time here.
 */
export function toTime(name: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new Refusal('invalid_query', `${name} must be a date such as 2026-11-22, or with a time`);
}

function reasons(errors: readonly ValidationError[]): string {
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {})).join('; ');
}

const IsTextByName = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isTextByName', validator: { validate: isTextByName } },
    { message: '$property must be an object of texts' },
  );

function isTextByName(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((entry) => typeof entry === 'string');
}

/** Most characters of a mapping as JSON: its task alone may have 10,000. */
const LONGEST_MAPPING = 100_000;

export const IsMapping = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isMapping', validator: { validate: isMapping } },
    { message: `$property must be an object of at most ${LONGEST_MAPPING} characters` },
  );

function isMapping(value: unknown): boolean {
  return isRecord(value) && JSON.stringify(value).length <= LONGEST_MAPPING;
}

export class RequestFields {
  /** Any JSON value; absent: `{}`. */
  @Allow()
  payload: unknown = {};

  /** Credentials are left out, as from a real request. */
  @IsOptional()
  @IsTextByName()
  headers?: Record<string, string>;

  /** Parameters of the URL. */
  @IsOptional()
  @IsTextByName()
  query?: Record<string, string>;
}

/** A request of your own, also the body of `POST /ops/api/sign`. */
export class RequestBody extends RequestFields {
  /** What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
  @Matches(/^[^\s?#\p{C}]{1,1024}$/u, { message: 'hook must be a path of a hook' })
  hook!: string;
}

/** Body of `POST /ops/api/send`. */
export class SendBody extends RequestBody {
  /**
   * In whose name. `operator`: yours, without a proof. `sender`: that of its sender, signed with the newest secret of the
   * hook, or with its token, and verified like any request.
   */
  @IsIn(['operator', 'sender'], { message: 'as must be operator or sender' })
  as: 'operator' | 'sender' = 'operator';
}
