import { isLoopback } from '../../../hooks/index.ts';
import { addressText, isLocalAddress, operatorBehindProxy } from '../../../service/index.ts';
import { info, ok, warning } from '../check.ts';
import type { Check } from '../check.ts';

/** Who can reach the ports. */
export const exposure: Check = {
  name: 'exposure',
  needs: 'configuration',
  run({ resolved: { gateway, ops, operatorAddress, effective } }) {
    const { host, port, trustedProxies } = gateway;
    const hooks = { place: `${host}:${port}`, key: 'gateway.host', isLocal: isLoopback(host) };
    const operator = operatorAddress && {
      place: addressText(operatorAddress),
      key: 'ops.listen',
      isLocal: isLocalAddress(operatorAddress),
    };
    const all = [hooks, ...(operator === undefined ? [] : [operator])];
    const open = all.filter(({ isLocal }) => !isLocal);
    const found = [];
    if (trustedProxies.length === 0) {
      found.push(
        ...open.map(({ place, key }) =>
          warning(
            `${place} is reachable from other machines without TLS: tokens and payloads can be read on the way`,
            `set ${key} to 127.0.0.1 and put a reverse proxy with TLS before it, or name the proxy in gateway.trustedProxies`,
          ),
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
    } else if (operator?.isLocal === false) {
      found.push(
        warning(
          `${operator.place} can be reached by other machines, and all of them are refused there`,
          'set ops.exposed, or have ops.listen name 127.0.0.1',
        ),
      );
    }
    for (const { key, message } of operatorBehindProxy(gateway, ops, operatorAddress, effective)) {
      found.push(warning(`${key} ${message}`, 'set ops.listen, for example to 18791'));
    }
    if (found.length > 0) return found;
    if (open.length === 0) {
      const places = all.map(({ place }) => place).join(' and ');
      return [ok(`${places} ${all.length > 1 ? 'are' : 'is'} reachable only from this machine`)];
    }
    const places = open.map(({ place }) => place).join(' and ');
    const what = `${places} ${open.length > 1 ? 'are' : 'is'} reachable from other machines, of which the proxies are believed`;
    return [info(what, 'let a firewall admit only the proxies')];
  },
};
