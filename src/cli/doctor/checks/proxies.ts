import { wideRanges } from '../../../service/index.ts';
import { error, info, ok, warning } from '../check.ts';
import type { Check } from '../check.ts';

/** Whose word about the client's address is believed: lockouts after wrong tokens go by it. */
export const proxies: Check = {
  name: 'proxies',
  needs: 'configuration',
  run({ resolved: { gateway } }) {
    const { trustedProxies } = gateway;
    if (trustedProxies.length === 0) return [ok('X-Forwarded-For is trusted from no proxy')];
    const wide = wideRanges(gateway);
    if (wide.length > 0) {
      return wide.map(({ why, isEverybody }) => {
        const say = isEverybody ? error : warning;
        const fix = 'name the addresses of your own proxies only';
        return say(`gateway.trustedProxies ${why}`, fix);
      });
    }
    const list = trustedProxies.join(', ');
    return [info(`X-Forwarded-For is trusted from ${list}`, 'keep it to your own proxies')];
  },
};
