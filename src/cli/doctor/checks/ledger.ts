import { lookAtDirectory } from '../../../service/index.ts';
import { error, info, ok } from '../check.ts';
import type { Check } from '../check.ts';

/** Whether this build can use the ledger of `store.dir`, and whether its next start upgrades it. Nothing in it changes. */
export const ledger: Check = {
  name: 'ledger',
  needs: 'configuration',
  async run({ resolved: { store } }) {
    if (store.postgres !== undefined) return [info('the ledger is in the database')];
    const { dir } = store;
    try {
      const edition = await lookAtDirectory(dir);
      if (edition === null) return [ok(`a ledger will be made in ${dir}`)];
      const { number, newest } = edition;
      if (number === newest)
        return [ok(`the ledger in ${dir} is of edition ${number}, the newest`)];
      return [
        info(
          `the ledger in ${dir} is of edition ${number}: the next start upgrades it to ${newest}, after a copy of it (ledger.before-${newest}.db)`,
          'see docs/upgrading.md before you start it',
        ),
      ];
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure);
      return [
        error(
          `the ledger in ${dir} cannot be used: ${why}`,
          'until then, the service does not start (docs/upgrading.md)',
        ),
      ];
    }
  },
};
