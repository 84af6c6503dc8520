import type { Registry } from 'prom-client';
import type { LedgerInstance, StoreState } from '../../hooks/index.ts';
import { packageVersion } from '../../platform/package-version.ts';

// What a scrape says of the ledger: of the store below it, and of the processes that share it. Both are states and no
// counts, asked for at the time of the scrape; what cannot be asked then is left as it was, or out, but never guessed.

/** Registers what is to be known of the disk below the ledger; the answer shows a state. */
export function storeMetrics(
  { Counter, Gauge }: typeof import('prom-client'),
  registry: Registry,
): (state: StoreState) => void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const commits = counter('hooks_ledger_commits_total', 'Transactions of the ledger.');
  const seconds = counter('hooks_ledger_commit_seconds_total', 'How long all of them took.');
  const slowest = gauge(
    'hooks_ledger_slowest_commit_seconds',
    'The longest of them in the last minute or two.',
  );
  const ledger = gauge('hooks_ledger_bytes', 'Size of ledger.db.');
  const log = gauge('hooks_ledger_log_bytes', 'Size of ledger.db-wal.');
  const free = gauge('hooks_ledger_free_bytes', 'Room that is left on the disk of the ledger.');
  const damaged = gauge(
    'hooks_ledger_damaged',
    '1 when the last look found damage of the ledger, or a call met some since the start, else 0.',
  );
  return (state) => {
    commits.reset();
    commits.inc(state.commits);
    seconds.reset();
    seconds.inc(state.commitSeconds);
    slowest.set(state.slowestCommitSeconds);
    ledger.set(state.ledgerBytes);
    log.set(state.logBytes);
    if (state.freeBytes !== null) free.set(state.freeBytes);
    damaged.set(state.damage === null ? 0 : 1);
  };
}

/**
 * Registers which process answers, beside the label `instance` that Prometheus gives what it scrapes; the answer shows
 * a list. @returns to be told of every scrape; null: the process has its ledger alone, or the ledger cannot be asked
 */
export function instanceMetrics(
  { Gauge }: typeof import('prom-client'),
  registry: Registry,
): (instances: readonly LedgerInstance[] | null) => void {
  const registers = [registry];
  const info = new Gauge({
    name: 'hooks_info',
    help: '1; which process answers: its version, and its id and name among those that share the ledger.',
    labelNames: ['version', 'instance_id', 'instance_name'],
    registers,
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const version = packageVersion();
  let underWay: ReturnType<typeof gauge> | undefined;
  let count: typeof underWay;
  return (instances) => {
    const own = instances?.find(({ isThis }) => isThis);
    info.reset();
    info.set({ version, instance_id: own?.id ?? '', instance_name: own?.name ?? '' }, 1);
    if (instances === null) return;
    underWay ??= gauge('hooks_steps_under_way', 'Steps of work that this process has under way.');
    underWay.set(own?.underWay ?? 0);
    count ??= gauge('hooks_instances', 'Processes that share the ledger and were heard of lately.');
    count.set(instances.length);
  };
}
