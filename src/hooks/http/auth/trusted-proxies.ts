import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { HooksSettings } from '../../options/index.ts';
import type { Problem, ResolvedHooksOptions } from '../../options/index.ts';
import { clientAddress, parseRange } from './client-address.ts';
import type { TrustedRange } from './client-address.ts';

/** Whom to believe about a client's address: `gateway.trustedProxies` of the settings in force. */
@Injectable()
export class TrustedProxies {
  readonly #ranges = new WeakMap<ResolvedHooksOptions, readonly TrustedRange[]>();

  constructor(settings: HooksSettings) {
    settings.addCheck((next) => ({ problems: proxyProblems(next), warnings: [] }));
  }

  /** The address of whoever sent this request. */
  clientOf(request: IncomingMessage, settings: ResolvedHooksOptions): string {
    const forwardedFor = request.headers['x-forwarded-for'];
    const entries = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
    return clientAddress(request.socket.remoteAddress, entries, this.#rangesOf(settings));
  }

  #rangesOf(settings: ResolvedHooksOptions): readonly TrustedRange[] {
    const known = this.#ranges.get(settings);
    if (known !== undefined) return known;
    const ranges = settings.trustedProxies.map(parseRange).filter((range) => range !== null);
    this.#ranges.set(settings, ranges);
    return ranges;
  }
}

function proxyProblems({ trustedProxies }: ResolvedHooksOptions): Problem[] {
  return trustedProxies.flatMap((entry, index) =>
    typeof entry === 'string' && parseRange(entry) !== null
      ? []
      : [
          {
            key: `gateway.trustedProxies[${index}]`,
            message: 'must be an IP address or a range such as 10.0.0.0/8',
          },
        ],
  );
}
