import { CliError } from '../../cli-error.ts';
import { asShortLine } from '../../foreign-text.ts';
import { remedyOf } from '../../service/status-lines.ts';
import { info, ok } from '../check.ts';
import type { Check } from '../check.ts';

const LONGEST = 300;
/** What other checks look at themselves, also where no service runs. */
const LOOKED_AT: ReadonlySet<string> = new Set(['disk-nearly-full', 'packages-missing', 'demo']);

/** What `hooks status` and the console say that the running service needs, in the same words. */
export const service: Check = {
  name: 'service',
  needs: 'network',
  async run({ askAttention }) {
    try {
      const items = (await askAttention()).filter(({ kind }) => !LOOKED_AT.has(kind));
      if (items.length === 0) return [ok('the running service needs nothing')];
      return items.map(({ severity, what, ...item }) => {
        return {
          severity,
          what: asShortLine(what, LONGEST),
          fix: asShortLine(remedyOf(item), LONGEST),
        };
      });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return [info('not looked at: the service of this configuration does not answer')];
    }
  },
};
