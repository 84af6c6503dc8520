import { unfoundPrograms } from '../../../standalone/unfound-programs.ts';
import type { Check } from '../check.ts';
import { error, ok } from '../finding.ts';

/** Warnings of the configuration that this check tells. */
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
