import { isLoopback } from '../../../hooks/index.ts';
import type { Problem } from '../../../hooks/index.ts';
import {
  PACKAGES_KEY,
  addressText,
  findMissing,
  isLocalAddress,
  wideRanges,
} from '../../../service/index.ts';
import type { Inspection } from '../../../service/index.ts';
import { keyWithoutFile } from '../../config/planned-files.ts';
import { problemLine } from '../../config/problem-lines.ts';
import { error, info, ok, warning } from '../check.ts';
import type { Check, CheckResult, SoundContext } from '../check.ts';

// Each check shows what is about its own keys, in the words of a start, and says so where there is nothing.

/** Checks with keys of their own; everything else is of `configuration`. */
const KEYS = {
  transforms: /\.transform(?:\.|$)|^hooks\.transformsDir$/,
  programs: /\.command$/,
  exposure: /^(?:gateway\.host|ops\.listen)$/,
  // Looked at more closely than the configuration does.
  tokens: /^hooks\.token$/,
  proxies: /^gateway\.trustedProxies$/,
  packages: new RegExp(`^${PACKAGES_KEY}$`),
} as const;

export const configuration: Check = {
  name: 'configuration',
  needs: 'nothing',
  run({ inspection }) {
    const { isDemo, dir, problems, warnings } = inspection;
    const mistakes = problems.filter(({ key }) => !KEYS.transforms.test(keyWithoutFile(key)));
    if (mistakes.length > 0)
      return mistakes.map((one) => error(problemLine(one), 'correct that key'));
    if (isDemo) {
      const fix = 'when you have seen enough: hooks setup';
      return [info(`there is no gateway.json5 in ${dir}: the service shows itself as a demo`, fix)];
    }
    const own = Object.values(KEYS);
    const found = warnings
      .filter(({ key }) => !own.some((keys) => keys.test(keyWithoutFile(key))))
      .map((one) => warning(problemLine(one), CHANGE));
    return found.length > 0 || problems.length > 0 ? found : [ok('gateway.json5 has no mistakes')];
  },
};

const CHANGE = 'change that key, or leave it';

/** Whether every transform compiles; reading the configuration has tried. */
export const transforms: Check = {
  name: 'transforms',
  needs: 'nothing',
  run({ inspection: { problems, resolved } }) {
    const fix = 'correct the module; types: nestjs-agent-hooks/transform';
    const broken = about('transforms', problems).map((one) => error(problemLine(one), fix));
    if (broken.length > 0) return broken;
    const mappings = resolved?.effective.hooks.mappings;
    const count = Array.isArray(mappings) ? mappings.filter((one) => one?.transform).length : 0;
    return [ok(count === 0 ? 'there are none' : `${count} found and compiled`)];
  },
};

export const programs: Check = {
  name: 'programs',
  needs: 'configuration',
  run({ inspection: { warnings } }) {
    const missing = about('programs', warnings);
    if (missing.length === 0) return [ok('all that are used are found')];
    return missing.map((one) => error(problemLine(one), 'every turn needs it'));
  },
};

export const packages: Check = {
  name: 'packages',
  needs: 'configuration',
  run({ inspection: { needed } }) {
    const missing = findMissing(needed);
    if (missing !== null) return [error(missing.what, `install them with: ${missing.command}`)];
    const names = needed.map(({ name }) => name).join(', ');
    return [ok(names === '' ? 'this configuration needs none' : `installed: ${names}`)];
  },
};

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

export const exposure: Check = {
  name: 'exposure',
  needs: 'configuration',
  run(context) {
    const found = about('exposure', context.inspection.warnings).map((one) =>
      warning(problemLine(one), CHANGE),
    );
    if (context.resolved.ops.exposed) {
      found.push(
        warning(
          'ops.exposed is true: whoever has the operator token reads every payload from anywhere',
          'leave it false and go through ssh, unless other machines must operate the service',
        ),
      );
    }
    return found.length > 0 ? found : [reachable(context)];
  },
};

function reachable({ resolved: { gateway, operatorAddress } }: SoundContext): CheckResult {
  const { host, port } = gateway;
  const all = [
    { place: `${host}:${port}`, isLocal: isLoopback(host) },
    ...(operatorAddress === undefined
      ? []
      : [{ place: addressText(operatorAddress), isLocal: isLocalAddress(operatorAddress) }]),
  ];
  const open = all.filter(({ isLocal }) => !isLocal);
  const places = (open.length === 0 ? all : open).map(({ place }) => place);
  const named = `${places.join(' and ')} ${places.length > 1 ? 'are' : 'is'} reachable`;
  if (open.length === 0) return ok(`${named} only from this machine`);
  const what = `${named} from other machines, of which the proxies are believed`;
  return info(what, 'let a firewall admit only the proxies');
}

function about(check: keyof typeof KEYS, all: Inspection['problems']): Problem[] {
  return all.filter(({ key }) => KEYS[check].test(keyWithoutFile(key)));
}
