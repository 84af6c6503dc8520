import { error, ok } from '../check.ts';
import { keyWithoutFile } from '../../config/planned-files.ts';
import type { Check } from '../check.ts';

/** Keys of mistakes that this check reports, so that the check of the configuration leaves them out. */
export const ABOUT_TRANSFORMS = /\.transform(?:\.|$)|^hooks\.transformsDir$/;

/** Whether every transform compiles; reading the configuration has tried. */
export const transforms: Check = {
  name: 'transforms',
  needs: 'nothing',
  run({ inspection: { problems, resolved } }) {
    const broken = problems.filter(({ key }) => ABOUT_TRANSFORMS.test(keyWithoutFile(key)));
    if (broken.length > 0) {
      const fix = 'correct the module; types: nestjs-agent-hooks/transform';
      return broken.map(({ key, message }) => error(`${key} ${message}`, fix));
    }
    const mappings = resolved?.effective.hooks.mappings;
    const count = Array.isArray(mappings) ? mappings.filter((one) => one?.transform).length : 0;
    return [ok(count === 0 ? 'there are none' : `${count} found and compiled`)];
  },
};
