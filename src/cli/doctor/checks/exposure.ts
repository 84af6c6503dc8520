import { isLoopback } from '../../../hooks/index.ts';
import { info, ok, warning } from '../check.ts';
import type { Check } from '../check.ts';

/** Who can reach the port. */
export const exposure: Check = {
  name: 'exposure',
  needs: 'configuration',
  run({ resolved: { gateway, ops } }) {
    const { host, port, trustedProxies } = gateway;
    const place = `${host}:${port}`;
    const found = [];
    if (!isLoopback(host) && trustedProxies.length === 0) {
      found.push(
        warning(
          `${place} is reachable from other machines without TLS: tokens and payloads can be read on the way`,
          'set gateway.host to 127.0.0.1 and put a reverse proxy with TLS before it, or name the proxy in gateway.trustedProxies',
        ),
      );
    }
    if (ops.exposed) {
      found.push(
        warning(
          'ops.exposed is true: whoever has the operator token reads every payload from anywhere',
          'leave it false and go through ssh, unless other machines must operate the service',
        ),
      );
    }
    if (found.length > 0) return found;
    if (isLoopback(host)) return [ok(`${place} is reachable only from this machine`)];
    const what = `${place} is reachable from other machines, of which the proxies are believed`;
    return [info(what, 'let a firewall admit only the proxies')];
  },
};
