import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientAddress, parseAddress, parseRange } from '../hooks/index.ts';
import type { TrustedRange } from '../hooks/index.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsOptions } from './ops-options.ts';

/** Headers by which a proxy says that the request is not its own. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

/** Decides from where a request really comes. */
@Injectable()
export class ClientOrigin {
  readonly #proxies: readonly TrustedRange[];

  constructor(@Inject(OPS_OPTIONS) { trustedProxies }: OpsOptions) {
    this.#proxies = trustedProxies.map(parseRange).filter((range) => range !== null);
  }

  /**
   * The client's address; null when the request came through a proxy that is not trusted, or that does not say for
   * whom. A program on this machine that forwards without any such header cannot be told from a local client.
   */
  addressOf({ socket: { remoteAddress }, headers }: FastifyRequest): string | null {
    if (FORWARDING.every((name) => headers[name] === undefined)) {
      return clientAddress(remoteAddress, undefined, []);
    }
    const chain = [headers['x-forwarded-for'] ?? []].flat().join(',');
    const isReadable = chain.split(',').every((hop) => parseAddress(hop) !== null);
    if (!isReadable || !this.#isProxy(remoteAddress)) return null;
    return clientAddress(remoteAddress, chain, this.#proxies);
  }

  isLoopback(address: string): boolean {
    return parseAddress(address)?.range() === 'loopback';
  }

  #isProxy(peer: string | undefined): boolean {
    const address = parseAddress(peer ?? '');
    return this.#proxies.some(
      ([range, bits]) => range.kind() === address?.kind() && address.match(range, bits),
    );
  }
}
