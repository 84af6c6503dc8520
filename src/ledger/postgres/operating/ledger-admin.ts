import type { LedgerInstance } from '../../../hooks/ports/ledger-admin.ts';
import { StoredAdmin } from '../../ports/admin.ts';
import type { PostgresStore } from '../store.ts';
import type { InstanceList } from './instances.ts';

const LEFTOVERS = [
  'PostgreSQL keeps what was deleted in its files until VACUUM has run and the pages are used again; VACUUM FULL of the schema gives the room back at once. Its write-ahead log, archives and replicas keep it as long as you keep them.',
];

/**
 * It makes no difference which instance is asked. A pause is a row that accepting and claiming read in their own
 * transactions: from its commit on no instance takes or begins anything, also after a restart.
 */
export class PostgresLedgerAdmin extends StoredAdmin {
  readonly #instances: InstanceList;

  constructor(store: PostgresStore, instances: InstanceList) {
    super({
      reader: store.reads,
      freshReader: store.freshReads,
      writer: store.writes,
      writeActivity: () => store.activity.write(),
      leftovers: () => Promise.resolve(LEFTOVERS),
    });
    this.#instances = instances;
  }

  override instances(): Promise<readonly LedgerInstance[]> {
    return this.#instances.list();
  }
}
