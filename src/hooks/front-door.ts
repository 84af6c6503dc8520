import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Rejection } from './rejection.ts';
import { FastifyIngress } from './http/fastify-ingress.ts';

/** A request as a sender makes it. */
export interface PostedRequest {
  /** What stands behind the prefix, as it goes on the wire. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What its sender would be answered. */
export interface DoorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a sender reads of an answer. */
const TOLD = ['content-type', 'idempotent-replayed', 'retry-after', 'www-authenticate', 'allow'];

/**
 * Posts to the hooks of this very application, without a connection: everything that a request meets is in force, the
 * host's own hooks and guards included.
 */
@Injectable()
export class FrontDoor {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly ingress: FastifyIngress,
  ) {}

  /** @throws Rejection unknown_hook for a name that no request line has; Error in an application that serves nothing */
  async post({ name, headers, query, body }: PostedRequest): Promise<DoorAnswer> {
    const { prefix } = this.ingress;
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
}
