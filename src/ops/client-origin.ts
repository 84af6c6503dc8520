import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientAddress, parseAddress, parseRange } from '../hooks/index.ts';
import type { TrustedRange } from '../hooks/index.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsOptions } from './ops-options.ts';

/** Headers by which a proxy says that the request is not its own. */
const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'cf-connecting-ip',
  'true-client-ip',
] as const;

/** Decides from where a request really comes. */
@Injectable()
export class ClientOrigin {
  readonly #proxies: readonly TrustedRange[];

  constructor(@Inject(OPS_OPTIONS) { trustedProxies }: OpsOptions) {
    this.#proxies = trustedProxies.map(parseRange).filter((range) => range !== null);
  }

  /**
   * True when a program on this machine asks for itself: whatever was forwarded, by whomever, is not local. A program
   * that forwards without saying so cannot be told from a local client.
   */
  isLocal({ socket: { remoteAddress }, headers }: FastifyRequest): boolean {
    if (FORWARDING.some((name) => headers[name] !== undefined)) return false;
    return parseAddress(remoteAddress ?? '')?.range() === 'loopback';
  }

  /** By whom failures are counted. */
  addressOf({ socket: { remoteAddress }, headers }: FastifyRequest): string {
    const chain = [headers['x-forwarded-for'] ?? []].flat().join(',');
    return clientAddress(remoteAddress, chain === '' ? undefined : chain, this.#proxies);
  }
}
