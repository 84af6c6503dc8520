import { isDeepStrictEqual } from 'node:util';
import type { Hours } from '../../platform/hours.ts';
import { durationMs } from '../../platform/time.ts';
import { MappingOptions, toHours } from '../options/index.ts';
import type { LimitOptions, Problem, RuleOptions, TotalLimitOptions } from '../options/index.ts';
import type { RuleScope, RunLimit } from '../ports/index.ts';
import { keyOf } from './mapping.ts';
import type { CompiledCollect, CompiledMapping, PlacedMapping } from './mapping.ts';

const OF_ALL_RUNS = ['maxConcurrent', 'limit', 'quietHours'] as const;

/** Of the events of one run. */
export const DEFAULT_MOST = 50;

export interface RulesById {
  readonly runPlaces: Readonly<Record<string, number>>;
  readonly runLimits: ReadonlyMap<string, RunLimit>;
  readonly totalLimit: RunLimit | undefined;
  readonly quietHours: ReadonlyMap<string, Hours>;
}

/** A field of a mapping that contradicts another one, with what continues its name to a sentence. */
interface Contradiction {
  readonly field: keyof MappingOptions;
  readonly message: string;
}

/** With `defaults` that do not contradict the mapping. `hasSession`: runs that name no session have one in common. */
export function withRules(
  mapping: MappingOptions,
  defaults: RuleOptions,
  hasSession: boolean,
): MappingOptions {
  const { action = 'agent', quietHours = defaults.quietHours } = mapping;
  const merged = Object.assign(new MappingOptions(), mapping);
  if (action === 'deliver') return Object.assign(merged, { quietHours });
  if (action !== 'agent') return mapping;
  const { maxConcurrent = defaults.maxConcurrent, maxQueued = defaults.maxQueued } = mapping;
  const { busyScope = defaults.busyScope } = mapping;
  Object.assign(merged, { quietHours, maxConcurrent, maxQueued, busyScope });
  for (const field of ['limit', 'whenBusy', 'collect'] as const) {
    if (merged[field] !== undefined) continue;
    const all = Object.assign(new MappingOptions(), merged, { [field]: defaults[field] });
    if (contradictionOf(all, hasSession) === null)
      Object.assign(merged, { [field]: defaults[field] });
  }
  return merged;
}

/** Null: nothing contradicts another field, or has no effect beside it. */
export function contradictionOf(
  options: MappingOptions,
  hasSession: boolean,
): Contradiction | null {
  const { collect, limit, whenBusy = 'queue', sessionKey, sessionMode } = options;
  const { waitFor, reply, exposeReply } = options;
  const isRude = whenBusy !== 'queue';
  if (isRude && !hasSession && sessionKey === undefined && sessionMode !== 'persistent') {
    const message =
      'has no effect without sessionKey, since each run has a session of its own, which is never busy; name one, such as repo:{{ repository.full_name }}';
    return { field: 'whenBusy', message };
  }
  const isGathered = collect !== undefined || limit?.then === 'collect';
  if (!isGathered) return null;
  const scope = ruleScope(collect ?? limit);
  const others = [
    isRude && `whenBusy: '${whenBusy}'`,
    waitFor?.key !== undefined && 'waitFor.key',
    reply === 'source' && collect?.by === undefined && "reply: 'source' without collect.by",
    exposeReply === true && scope === 'mapping' && "exposeReply with scope: 'mapping'",
  ];
  const other = others.find((one) => one !== false);
  if (other === undefined) return null;
  const message = `contradicts ${other}, since events that are gathered have one run and one answer; remove one of them`;
  return { field: collect === undefined ? 'limit' : 'collect', message };
}

/** Of mappings that have one id, which their runs are counted by: those whose rules of all its runs differ. */
export function findDisagreeing(placed: readonly PlacedMapping[]): Problem[] {
  const firsts = new Map<string, MappingOptions>();
  return placed.flatMap(({ entry, compiled: { id, options } }) => {
    const first = firsts.get(id);
    if (first === undefined) firsts.set(id, options);
    const differs = (field: (typeof OF_ALL_RUNS)[number]) =>
      first !== undefined && !isDeepStrictEqual(first[field], options[field]);
    return OF_ALL_RUNS.filter(differs).map((field) => ({
      key: keyOf(entry, field),
      message: `differs from that of another mapping of ${id}, and both count and hold the same runs; give one of them an id`,
    }));
  });
}

/** How the events of a mapping are gathered, but for what they have in common. Undefined: they are not. */
export function collectOf({
  collect,
  limit,
}: RuleOptions): Omit<CompiledCollect, 'by'> | undefined {
  if (collect !== undefined) {
    const { for: longest, quiet, most = DEFAULT_MOST } = collect;
    return {
      forMs: durationMs(longest),
      ...(quiet !== undefined && { quietMs: durationMs(quiet) }),
      most,
      scope: ruleScope(collect),
    };
  }
  if (limit?.then !== 'collect') return undefined;
  // What there is room for begins at once; what has to wait is behind one another.
  return { forMs: 0, most: DEFAULT_MOST, scope: ruleScope(limit) };
}

/** No sender's events decide about another's, unless the operator says so. */
export function ruleScope({ scope = 'sender' }: { readonly scope?: RuleScope } = {}): RuleScope {
  return scope;
}

export function rulesById(
  mappings: readonly CompiledMapping[],
  total: TotalLimitOptions | undefined,
): RulesById {
  const runPlaces: [string, number][] = [];
  const runLimits = new Map<string, RunLimit>();
  const quietHours = new Map<string, Hours>();
  for (const { id, options } of mappings) {
    const { maxConcurrent, limit, quietHours: quiet } = options;
    if (maxConcurrent !== undefined) runPlaces.push([id, maxConcurrent]);
    if (limit !== undefined) runLimits.set(id, toLimit(limit, ruleScope(limit)));
    if (quiet !== undefined) quietHours.set(id, toHours(quiet));
  }
  const totalLimit = total && toTotalLimit(total);
  return { runPlaces: Object.fromEntries(runPlaces), runLimits, totalLimit, quietHours };
}

function toLimit(
  { runs, per, then = 'hold' }: LimitOptions | TotalLimitOptions,
  scope: RuleScope,
): RunLimit {
  return { runs, perMs: durationMs(per), per, scope, then };
}

/** What holds is of all senders, too: it loses nothing. What leaves out is not. */
function toTotalLimit(total: TotalLimitOptions): RunLimit {
  return { ...toLimit(total, total.then === 'skip' ? 'sender' : 'mapping'), isTotal: true };
}
