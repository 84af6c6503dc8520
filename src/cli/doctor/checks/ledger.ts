import { lookAtDirectory } from '../../../service/index.ts';
import type { DatabaseState } from '../../../service/index.ts';
import { error, info, ok, warning } from '../check.ts';
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

/** Whether the database of `store.postgres` can be used, and keeps what it has committed. Nothing in it changes. */
export const database: Check = {
  name: 'database',
  needs: 'network',
  async run({ resolved: { store }, tryDatabase }) {
    if (store.postgres === undefined) return [info('the ledger is a file in store.dir')];
    const { schema } = store.postgres;
    try {
      const { version, edition, unsafe } = await tryDatabase(store.postgres);
      return [
        ok(`PostgreSQL ${version} answers; ${whatIsIn(schema, edition)}`),
        ...unsafe.map((setting) =>
          warning(
            `${setting} is off in the database: events that were answered 200 are lost when its machine loses its power`,
            `set ${setting} = on in postgresql.conf`,
          ),
        ),
      ];
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure);
      return [error(why, 'until it can be used, the service does not start')];
    }
  },
};

function whatIsIn(schema: string, edition: DatabaseState['edition']): string {
  if (edition === null) return `a ledger will be made in its schema ${schema}`;
  const { number, newest } = edition;
  const found = `the ledger is in its schema ${schema}, of edition ${number}`;
  if (number === newest) return `${found}, the newest`;
  return number < newest
    ? `${found}: the next start upgrades it to ${newest} (docs/upgrading.md)`
    : `${found}: newer services work on it, and this build can beside them`;
}
