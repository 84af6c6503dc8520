import { CliError } from '../../cli-error.ts';
import { asShortLine } from '../../foreign-text.ts';
import { info, ok, warning } from '../check.ts';
import type { Check } from '../check.ts';

const LONGEST = 300;

/** What the running service had to refuse in the last hour although the sender was verified: such data is lost. */
export const refusals: Check = {
  name: 'refusals',
  needs: 'network',
  async run({ askLost }) {
    try {
      const lost = await askLost();
      if (lost.length === 0) return [ok('no verified sender lost anything in the last hour')];
      return lost.map(({ what, todo }) =>
        warning(asShortLine(what, LONGEST), asShortLine(todo, LONGEST)),
      );
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return [info('not looked at: the service of this configuration does not answer')];
    }
  },
};
