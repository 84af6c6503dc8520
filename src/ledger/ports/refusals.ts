import type { Change } from '../../hooks/ports/change.ts';
import type { HookRefusals } from '../../hooks/ports/hook-use.ts';
import { Refusals } from '../../hooks/ports/refusals.ts';
import type { LostRequests, NewRefusal, RefusalFilter } from '../../hooks/ports/refusals.ts';
import type { Caller } from '../calls.ts';
import type { Reads } from '../core.ts';

/** Keeps refusals with the changes that come with them, in one commit. */
type RecordRefusals = (
  refusals: readonly NewRefusal[],
  changes: readonly Change[],
) => Promise<void>;

export class StoredRefusals extends Refusals {
  readonly #reader: Caller<Reads>;
  readonly record: RecordRefusals;

  constructor(reader: Caller<Reads>, record: RecordRefusals) {
    super();
    this.#reader = reader;
    this.record = record;
  }

  list(filter: RefusalFilter): Promise<Reads['listRefusals']['result']> {
    return this.#reader.call('listRefusals', filter);
  }

  countByHook(since: number): Promise<readonly HookRefusals[]> {
    return this.#reader.call('countRefusals', since);
  }

  lost(since: number): Promise<readonly LostRequests[]> {
    return this.#reader.call('sumRefusals', 'lost', since);
  }

  failed(since: number): Promise<readonly LostRequests[]> {
    return this.#reader.call('sumRefusals', 'failed', since);
  }
}
