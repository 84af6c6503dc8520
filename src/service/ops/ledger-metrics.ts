import type { Registry } from 'prom-client';
import type { StoreState } from '../../hooks/index.ts';

// What a scrape says of the store below the ledger: a state, asked for at the time of the scrape; what cannot be asked then
// is left as it was, or out, but never guessed.

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
