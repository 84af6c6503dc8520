import type { Problem, ResolvedHooksOptions } from '../../hooks/index.ts';
import type { ListenAddress } from './listen-address.ts';
import type { GatewayOptions, OpsOptions } from './sections.ts';

/** Wider ranges hold machines of strangers. */
const WIDEST = { ipv4: 8, ipv6: 16 };

export interface WideRange {
  readonly range: string;
  /** Why that is wrong, as the end of a sentence. */
  readonly why: string;
  /** True: it holds every address there is. */
  readonly isEverybody: boolean;
}

export function wideRanges({
  trustedProxies,
}: Pick<GatewayOptions, 'trustedProxies'>): WideRange[] {
  return trustedProxies.flatMap((range) => {
    const [, bits] = range.split('/');
    const widest = range.includes(':') ? WIDEST.ipv6 : WIDEST.ipv4;
    if (bits === undefined || Number(bits) >= widest) return [];
    const isEverybody = Number(bits) === 0;
    const why = isEverybody ? ': anybody can claim any address' : ', far more than your proxies';
    return [{ range, why: `holds ${range}${why}`, isEverybody }];
  });
}

export function wideRangeWarnings(gateway: GatewayOptions): Problem[] {
  return wideRanges(gateway).map(({ why }) => ({
    key: 'gateway.trustedProxies',
    message: `${why}; name the addresses of your own proxies only`,
  }));
}

/** A proxy that forwards everything would forward the operator API and the console, which are on the same port. */
export function operatorBehindProxy(
  { trustedProxies }: GatewayOptions,
  { exposed }: OpsOptions,
  operatorAddress: ListenAddress | undefined,
  { hooks }: ResolvedHooksOptions,
): Problem[] {
  const isBehind = trustedProxies?.length > 0 || hooks.publicUrl !== undefined;
  if (!isBehind || exposed || operatorAddress !== undefined) return [];
  const cause = trustedProxies?.length > 0 ? 'gateway.trustedProxies' : 'hooks.publicUrl';
  const message = `is not set while a proxy stands before the hooks (${cause}): if it forwards every path, operator API and console can be asked through it; set ops.listen to a port or socket of its own`;
  return [{ key: 'ops.listen', message }];
}
