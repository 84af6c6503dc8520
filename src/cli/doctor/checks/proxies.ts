import { error, info, ok, warning } from '../check.ts';
import type { Check, CheckResult } from '../check.ts';

/** Wider ranges hold machines of strangers. */
const WIDEST = { ipv4: 8, ipv6: 16 };

/** Whose word about the client's address is believed: lockouts after wrong tokens go by it. */
export const proxies: Check = {
  name: 'proxies',
  needs: 'configuration',
  run({ resolved: { gateway } }) {
    const { trustedProxies } = gateway;
    if (trustedProxies.length === 0) return [ok('X-Forwarded-For is believed from nobody')];
    const wide = trustedProxies.filter(isWide).map(tooWide);
    if (wide.length > 0) return wide;
    const list = trustedProxies.join(', ');
    return [info(`X-Forwarded-For is believed from ${list}`, 'keep it to your own proxies')];
  },
};

function isWide(range: string): boolean {
  const bits = parseBits(range);
  return bits !== null && bits < (range.includes(':') ? WIDEST.ipv6 : WIDEST.ipv4);
}

function tooWide(range: string): CheckResult {
  const fix = 'name the addresses of your own proxies only';
  if (parseBits(range) === 0) {
    return error(`gateway.trustedProxies holds ${range}: anybody can claim any address`, fix);
  }
  return warning(`gateway.trustedProxies holds ${range}, far more than your proxies`, fix);
}

function parseBits(range: string): number | null {
  const [, bits] = range.split('/');
  return bits === undefined ? null : Number(bits);
}
