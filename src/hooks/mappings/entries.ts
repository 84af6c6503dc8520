import { isRecord } from '../../platform/objects.ts';
import { builtInHook } from '../actions/hook-request.ts';
import { presetIds } from '../options/index.ts';
import type {
  MappingAction,
  MappingOptions,
  Problem,
  ResolvedHooksOptions,
} from '../options/index.ts';
import type { Preset, PresetCase } from '../senders/index.ts';
import { keyOf } from './mapping.ts';
import type { MappingEntry, WrittenMapping } from './mapping.ts';

// Configured mappings come as they are written, then the enabled presets. A mapping with a preset's id merges over it,
// over each of its cases; the cases stay together behind the configured ones, because their order counts.

type HooksSection = ResolvedHooksOptions['hooks'];
type Presets = ReadonlyMap<string, Preset>;

/** Keys whose own keys merge one by one; every other key is replaced as a whole. */
const MERGED_BY_KEY: readonly string[] = ['when', 'verify'];

/** A handler of the host's code enables the preset of its name, without the preset's own decisions. */
export function listEntries(
  settings: Pick<ResolvedHooksOptions, 'hooks' | 'handlers'>,
  known: Presets,
): MappingEntry[] {
  const { hooks, handlers = new Map() } = settings;
  const enabled = [...presetIds(settings)]
    .flatMap((name) => known.get(name) ?? [])
    .map((preset) => (handlers.has(preset.id) ? withoutDecisions(preset) : preset));
  const configured = hooks.mappings.map((mapping, index) => ({
    key: `hooks.mappings[${index}]`,
    mapping,
  }));
  const withId = (id: string): Placed[] => configured.filter(({ mapping }) => mapping.id === id);
  const merged = new Set<Placed>();
  const builtIn = enabled.flatMap((preset) => {
    const { cases } = preset;
    if (cases === undefined) return withId(preset.id).length > 0 ? [] : [toEntry(preset, [])];
    const shared = withId(preset.id);
    const own = cases.flatMap(({ id }) => withId(id));
    for (const placed of [...shared, ...own]) merged.add(placed);
    return withActions(
      cases.map((one) => toEntry(toMapping(preset, one), [...shared, ...withId(one.id)])),
    );
  });
  const written = configured
    .filter((placed) => !merged.has(placed))
    .map((placed) =>
      toEntry(
        enabled.find(({ id }) => id === placed.mapping.id),
        [placed],
      ),
    );
  return [...written, ...builtIn];
}

function withoutDecisions(preset: Preset): Preset {
  const { cases: _1, when: _2, forEach: _3, transform: _4, action: _5, ...rest } = preset;
  return rest;
}

type Placed = Omit<WrittenMapping, 'actions'>;

function toEntry(preset: MappingOptions | undefined, layers: readonly Placed[]): MappingEntry {
  const mapping = layers.reduce((below, layer) => mergeOver(below, layer.mapping), preset ?? {});
  // A mapping of a preset's id lends every case its fields, but not its name.
  const id = preset?.id ?? mapping.id;
  const named: MappingOptions = Object.assign({}, mapping, id !== undefined && { id });
  const actions = new Set<MappingAction>([mapping.action ?? 'agent']);
  const key = layers.at(-1)?.key ?? `preset ${id}`;
  const own = layers.reduce<MappingOptions>((below, one) => mergeOver(below, one.mapping), {});
  return {
    key,
    mapping: named,
    written: layers.length > 0 ? own : named,
    layers: layers.map((layer) => ({ ...layer, actions })),
  };
}

function toMapping({ cases: _cases, ...preset }: Preset, one: PresetCase): MappingOptions {
  return mergeOver(preset, one);
}

function withActions(entries: readonly MappingEntry[]): MappingEntry[] {
  const all = new Map<string, Set<MappingAction>>();
  for (const { key, actions } of entries.flatMap(({ layers }) => layers)) {
    all.set(key, (all.get(key) ?? new Set()).union(actions));
  }
  return entries.map((entry) => ({
    ...entry,
    layers: entry.layers.map((layer) => ({
      ...layer,
      actions: all.get(layer.key) ?? layer.actions,
    })),
  }));
}

/** Field by field; a preset that is made a wake keeps its words, but not its patience: nothing else tells of a wake. */
function mergeOver(below: MappingOptions, mapping: MappingOptions): MappingOptions {
  const given = Object.entries(mapping).filter(([, value]) => value !== undefined);
  const words =
    mapping.action === 'wake' ? { textTemplate: below.messageTemplate, wakeMode: undefined } : {};
  const fields = given.map(([field, value]) => [field, mergeField(below, field, value)] as const);
  return Object.assign({}, below, words, Object.fromEntries(fields));
}

function mergeField(below: MappingOptions, field: string, value: unknown): unknown {
  if (!MERGED_BY_KEY.includes(field)) return value;
  const brought: unknown = Reflect.get(below, field);
  if (!isRecord(brought) || !isRecord(value)) return value;
  const given = Object.entries(value).filter(([, own]) => own !== undefined);
  return { ...brought, ...Object.fromEntries(given) };
}

export function findUnknownPresets(names: readonly string[], known: Presets): Problem[] {
  const all = [...known.keys()].join(', ');
  return names
    .filter((name) => !known.has(name))
    .map((name) => ({
      key: 'hooks.presets',
      message: `names an unknown preset "${name}"; known are ${all}`,
    }));
}

/** A handler needs a mapping that requests reach, and that leaves the decision to it. */
export function findHandlerProblems(
  settings: ResolvedHooksOptions,
  entries: readonly MappingEntry[],
): Problem[] {
  return [...(settings.handlers ?? [])].flatMap(([id, handler]) => {
    const own = entries.filter(({ mapping }) => mapping.id === id);
    const isAtItsPath = own.every(({ mapping: { match } }) => match === undefined);
    const isBuiltIn = isAtItsPath && builtInHook(id, settings) !== undefined;
    if (isBuiltIn || own.length === 0) {
      const why = isBuiltIn
        ? `${id} is a built-in hook; use another id`
        : `no mapping or preset has this id; add { id: '${id}' } to hooks.mappings`;
      return [{ key: `@OnHook('${id}')`, message: `is on ${handler}, and ${why}` }];
    }
    return own.flatMap((entry) =>
      DECISIONS.filter((field) => entry.mapping[field] !== undefined).map((field) => ({
        key: keyOf(entry, field),
        message: `decides about the same events as ${handler}, which has @OnHook('${id}'); remove one of them`,
      })),
    );
  });
}

const DECISIONS = ['action', 'transform', 'forEach'] as const;

export function findDuplicateIds({ mappings }: HooksSection): Problem[] {
  const seen = new Set<string>();
  return mappings.flatMap(({ id }, index) => {
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id);
      return [];
    }
    const key = `hooks.mappings[${index}].id`;
    return [{ key, message: `"${id}" is used twice; give each mapping its own id` }];
  });
}
