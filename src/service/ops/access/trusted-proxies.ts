import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  clientAddress,
  forwardedClient,
  isTrustedProxy,
  parseRange,
} from '../../../hooks/index.ts';
import type { TrustedRange } from '../../../hooks/index.ts';
import { isBySocketFile } from './arrival.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

/**
 * What is believed of a request that came through a proxy, named by its address; one on the operator's own socket is
 * trusted by the file's permission.
 */
@Injectable()
export class TrustedProxies {
  readonly #ranges: readonly TrustedRange[];

  constructor(@Inject(OPS_OPTIONS) { trustedProxies }: OpsModuleOptions) {
    this.#ranges = trustedProxies.map(parseRange).filter((range) => range !== null);
  }

  /** Address of whoever sent it. */
  clientOf({ raw: { socket }, headers }: FastifyRequest): string {
    const chain = listed(headers['x-forwarded-for']);
    const behind = isBySocketFile(socket) ? forwardedClient(chain, this.#ranges) : null;
    return (
      behind ?? clientAddress(socket.remoteAddress, chain === '' ? undefined : chain, this.#ranges)
    );
  }

  isSecure({ raw: { socket }, headers }: FastifyRequest): boolean {
    if ('encrypted' in socket && socket.encrypted === true) return true;
    const isBelieved = isBySocketFile(socket) || isTrustedProxy(socket.remoteAddress, this.#ranges);
    // The last one is the word of the proxy that spoke to us.
    const scheme = listed(headers['x-forwarded-proto']).split(',').at(-1);
    return isBelieved && scheme?.trim().toLowerCase() === 'https';
  }
}

function listed(value: string | readonly string[] | undefined): string {
  return [value ?? []].flat().join(',');
}
