import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientAddress, isTrustedProxy, parseRange } from '../../../hooks/index.ts';
import type { TrustedRange } from '../../../hooks/index.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

/** What is believed of a request that came through a proxy: its own word of it, and nobody else's. */
@Injectable()
export class TrustedProxies {
  readonly #ranges: readonly TrustedRange[];

  constructor(@Inject(OPS_OPTIONS) { trustedProxies }: OpsModuleOptions) {
    this.#ranges = trustedProxies.map(parseRange).filter((range) => range !== null);
  }

  /** Address of whoever sent it. */
  clientOf({ socket: { remoteAddress }, headers }: FastifyRequest): string {
    const chain = [headers['x-forwarded-for'] ?? []].flat().join(',');
    return clientAddress(remoteAddress, chain === '' ? undefined : chain, this.#ranges);
  }

  /** Whether it came by TLS, to this process or to the proxy before it. */
  isSecure({ socket, headers }: FastifyRequest): boolean {
    if ('encrypted' in socket && socket.encrypted === true) return true;
    if (!isTrustedProxy(socket.remoteAddress, this.#ranges)) return false;
    // The last one is the word of the proxy that spoke to us.
    const schemes = [headers['x-forwarded-proto'] ?? []].flat().join(',').split(',');
    return schemes.at(-1)?.trim().toLowerCase() === 'https';
  }
}
