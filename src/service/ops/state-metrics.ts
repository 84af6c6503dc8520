import type { Registry } from 'prom-client';
import type { ChannelReport, HookUse, RestingBackend, WaitingWork } from '../../hooks/index.ts';

// States for alerts, asked for at the time of the scrape; what cannot be asked then is left out. Labels are names of
// the configuration, never of a request.

export interface BudgetShare {
  readonly of: string;
  readonly scope: string;
  readonly per: string;
  readonly used: number;
}

/** How the service stands; undefined: that cannot be asked now, or nobody can tell. */
export interface ServiceState {
  readonly waiting: readonly WaitingWork[] | undefined;
  readonly isPaused: boolean | undefined;
  readonly isConfigurationRefused: boolean | undefined;
  readonly backends: readonly RestingBackend[];
  readonly channels: readonly ChannelReport[];
  readonly budgets: readonly BudgetShare[] | undefined;
  readonly hooks: readonly HookUse[] | undefined;
  /** What of {@link backends} the configuration names: `model local/big`, `model provider local`. */
  readonly configured: ReadonlySet<string>;
}

/** Registers them; the answer shows a state. @param bounded makes a label of the name of a hook */
export function stateMetrics(
  { Gauge }: typeof import('prom-client'),
  registry: Registry,
  bounded: (hook: string) => string,
): (state: ServiceState, now: number) => void {
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const byCause = ['kind', 'hook', 'cause'] as const;
  const waiting = gauge(
    'hooks_waiting',
    'Work that is due and not begun, by hook and cause: what it waits for, or which rule holds it.',
    byCause,
  );
  const oldest = gauge(
    'hooks_waiting_oldest_seconds',
    'How long ago the oldest of it was accepted.',
    byCause,
  );
  const paused = gauge('hooks_paused', '1 while an operator has paused intake and work, else 0.');
  const refused = gauge(
    'hooks_configuration_refused',
    '1 while the files of the configuration were refused and the one before is in force, else 0.',
  );
  const unavailable = gauge(
    'hooks_backend_unavailable_seconds',
    'How long a model, provider, gateway or program cannot be asked; no sample where all can.',
    ['backend'],
  );
  const failing = gauge(
    'hooks_channel_failing',
    '1 where the last message of the channel was not taken, else 0.',
    ['channel'],
  );
  const accepted = gauge(
    'hooks_last_event_timestamp_seconds',
    'When the last event of each configured hook was accepted, of those that are kept.',
    ['hook'],
  );
  const budgets = gauge(
    'hooks_budget_used_ratio',
    'How much of a budget is used in the time that it is of, 1 for all of it; one turn may pass it.',
    ['of', 'scope', 'per'],
  );
  return (state, now) => {
    const seconds = (since: number) => Math.max(0, now - since) / 1000;
    for (const each of [waiting, oldest, unavailable, failing, accepted, budgets]) each.reset();
    // Of those that share a label the longest is set last.
    const waits = (state.waiting ?? []).toSorted((a, b) => b.since - a.since);
    for (const { kind, hook, cause, count, since } of waits) {
      const isStopped = state.isPaused === true && cause === 'slot';
      const labels = { kind, hook: bounded(hook ?? 'none'), cause: isStopped ? 'paused' : cause };
      waiting.inc(labels, count);
      oldest.set(labels, seconds(since));
    }
    if (state.isPaused !== undefined) paused.set(Number(state.isPaused));
    if (state.isConfigurationRefused !== undefined) {
      refused.set(Number(state.isConfigurationRefused));
    }
    for (const { backend, since } of state.backends.toSorted((a, b) => b.since - a.since)) {
      const isNamed = !backend.startsWith('model ') || state.configured.has(backend);
      unavailable.set({ backend: isNamed ? backend : 'another model' }, seconds(since));
    }
    for (const { id, state: its } of state.channels) {
      failing.set({ channel: id }, Number(its === 'failing'));
    }
    for (const { used, ...budget } of state.budgets ?? []) budgets.set(budget, used);
    for (const { hook, lastAt } of state.hooks ?? []) {
      if (lastAt !== null) accepted.set({ hook: bounded(hook) }, Date.parse(lastAt) / 1000);
    }
  };
}
