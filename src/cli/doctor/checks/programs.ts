import { unfoundPrograms } from '../../../service/index.ts';
import { error, ok } from '../check.ts';
import type { Check } from '../check.ts';

/** Keys of warnings that this check reports, so that the check of the configuration leaves them out. */
export const ABOUT_PROGRAMS = /\.command$/;

/** Whether the programs that agents and MCP servers are can be found. */
export const programs: Check = {
  name: 'programs',
  needs: 'configuration',
  run({ resolved, inspection: { env } }) {
    const missing = unfoundPrograms(resolved.effective, env);
    if (missing.length === 0) return [ok('all that are used are found')];
    return missing.map(({ key, message }) => error(`${key} ${message}`, 'every turn needs it'));
  },
};
