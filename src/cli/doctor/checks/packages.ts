import { findMissing } from '../../../service/index.ts';
import { error, ok } from '../check.ts';
import type { Check } from '../check.ts';

/** Whether npm has installed the packages that this configuration needs, all of which are optional. */
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
