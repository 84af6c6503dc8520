import { error, info, ok, warning } from '../check.ts';
import { PACKAGES_KEY } from '../../../service/index.ts';
import { keyWithoutFile } from '../../config/planned-files.ts';
import type { Check } from '../check.ts';
import { ABOUT_PROGRAMS } from './programs.ts';
import { ABOUT_TRANSFORMS } from './transforms.ts';

/** Warnings that checks of their own look at more closely. */
const COVERED = new Set([
  'gateway.host',
  'gateway.trustedProxies',
  'ops.listen',
  'hooks.token',
  PACKAGES_KEY,
]);

/** What `hooks config check` says. */
export const configuration: Check = {
  name: 'configuration',
  needs: 'nothing',
  run({ inspection: { problems, warnings, isDemo, dir } }) {
    const mistakes = problems.filter(({ key }) => !ABOUT_TRANSFORMS.test(keyWithoutFile(key)));
    if (mistakes.length > 0) {
      return mistakes.map(({ key, message }) => error(`${key} ${message}`, 'correct that key'));
    }
    if (isDemo) {
      const fix = 'copy gateway.example.json5 to gateway.json5 when you have seen enough';
      return [info(`there is no gateway.json5 in ${dir}: the service shows itself as a demo`, fix)];
    }
    const found = warnings
      .filter(({ key }) => !COVERED.has(keyWithoutFile(key)) && !ABOUT_PROGRAMS.test(key))
      .map(({ key, message }) => warning(`${key} ${message}`, 'change that key, or leave it'));
    return found.length > 0 || problems.length > 0 ? found : [ok('gateway.json5 has no mistakes')];
  },
};
