import type { HooksOptions } from '../../../hooks/index.ts';
import { info, warning } from '../check.ts';
import type { Check, CheckResult } from '../check.ts';

/** Hooks at once that a calm system should take. */
const BURST = 1000;
const FEW_WAKES = 100;
const HOUR_SECONDS = 3600;

export const burst: Check = {
  name: 'burst',
  needs: 'configuration',
  run({ resolved: { effective } }) {
    const { defaults } = effective.agents;
    const { maxConcurrent, maxConcurrentTotal = Infinity, timeoutSeconds } = defaults;
    const places = Math.min(maxConcurrent, maxConcurrentTotal);
    const seconds = Math.ceil(BURST / places) * timeoutSeconds;
    const found: CheckResult[] = [
      info(
        `${places} turns run at a time, and a burst waits its turn: ${BURST.toLocaleString('en')} runs that each take the full ${timeoutSeconds} s would last ${lasting(seconds)}`,
        `raise agents.defaults.maxConcurrent${places < maxConcurrent ? 'Total' : ''} as far as your models allow`,
      ),
    ];
    const { maxSystemEvents } = defaults;
    if (maxSystemEvents < FEW_WAKES) {
      const what = `only ${maxSystemEvents} wakes may wait in a main session; more are answered 503`;
      found.push(warning(what, 'raise agents.defaults.maxSystemEvents'));
    }
    const { transformLimits, mappings, idempotencyHours } = effective.hooks;
    if (mappings.some(({ transform }) => transform !== undefined)) {
      found.push(transformBurst(transformLimits));
    }
    if (seconds > idempotencyHours * HOUR_SECONDS) {
      const what = `such a burst lasts longer than idempotency keys are remembered (${idempotencyHours} h)`;
      found.push(info(what, 'raise hooks.idempotencyHours if senders repeat themselves that late'));
    }
    found.push(...doubledCalls(effective.hooks));
    return found;
  },
};

/** Mappings whose reply is sent, and looked at once more by a heartbeat at once. Those of presets wait for the next one. */
function doubledCalls({
  mappings,
  presets,
  defaults,
}: Pick<HooksOptions, 'mappings' | 'presets' | 'defaults'>): CheckResult[] {
  const doubled = mappings.filter(
    ({ id, action = 'agent', deliver, wakeMode = defaults.wakeMode ?? 'now' }) =>
      action === 'agent' &&
      deliver !== false &&
      wakeMode === 'now' &&
      !presets.some((preset) => preset === id),
  );
  if (doubled.length === 0) return [];
  const ids = doubled.slice(0, 5).map(({ id = 'a mapping' }) => id);
  const more = doubled.length > ids.length ? ' and others' : '';
  return [
    info(
      `an event of ${ids.join(', ')}${more} costs two model calls: its run, and at once a heartbeat that looks at its summary`,
      "set wakeMode: 'next-heartbeat' there, or hooks.defaults.wakeMode for all, where the reply is a message already",
    ),
  ];
}

/** A call waits at most ten timeouts (docs/security.md). */
function transformBurst({
  workers,
  timeoutMs,
}: {
  workers: number;
  timeoutMs: number;
}): CheckResult {
  return info(
    `transforms hold ${10 * workers} requests at once that take their whole ${timeoutMs} ms, up to 1,000 that are quick; more are answered 503`,
    'raise hooks.transformLimits.workers up to the number of cores',
  );
}

function lasting(seconds: number): string {
  if (seconds < 2 * HOUR_SECONDS) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / HOUR_SECONDS)} hours`;
}
