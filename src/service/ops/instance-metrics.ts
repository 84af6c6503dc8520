import type { Registry } from 'prom-client';
import type { LedgerInstance } from '../../hooks/index.ts';
import { packageVersion } from '../../platform/package-version.ts';

/**
 * Registers which process answers, beside the label `instance` that Prometheus gives what it scrapes; the answer shows a
 * list. @returns to be told of every scrape; null: the process has its ledger alone, or the ledger cannot be asked
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
  const draining = gauge('hooks_draining', '1 while an operator drains this process, else 0.');
  const version = packageVersion();
  let underWay: ReturnType<typeof gauge> | undefined;
  let count: typeof underWay;
  return (instances) => {
    const own = instances?.find(({ isThis }) => isThis);
    info.reset();
    info.set({ version, instance_id: own?.id ?? '', instance_name: own?.name ?? '' }, 1);
    draining.set(own?.draining === true ? 1 : 0);
    if (instances === null) return;
    underWay ??= gauge('hooks_steps_under_way', 'Steps of work that this process has under way.');
    underWay.set(own?.underWay ?? 0);
    count ??= gauge('hooks_instances', 'Processes that share the ledger and were heard of lately.');
    count.set(instances.length);
  };
}
