import { resolve } from 'node:path';
import { isRecord } from '../../platform/objects.ts';
import {
  AgentsOptions,
  agentListProblems,
  agentModelProblems,
  agentToolProblems,
} from './agents-options.ts';
import { budgetProblems, budgetWarnings } from './budget-problems.ts';
import { HooksOptions } from './hooks-options.ts';
import { hooksWarnings, normalizePrefix, prefixProblems } from './hooks-rules.ts';
import { inMappings } from './mapping-problems.ts';
import { ModelsOptions, providerProblems } from './models-options.ts';
import { RetentionOptions } from './settings-input.ts';
import type { HooksSettingsInput } from './settings-input.ts';
import { OptionPlace } from './option.ts';
import { MODULE_NAMES, renamed, variableProblems } from './option-names.ts';
import type { OptionNames } from './option-names.ts';
import { NO_ARRAY, onePerKey } from './problem.ts';
import type { Problem } from './problem.ts';
import { doubtfulSecrets } from './secret-texts.ts';
import { resolveSection } from './section.ts';
import { tokenProblems } from './token-options.ts';

/** Options with every default filled in. Never changed; a reload makes a new one. */
export interface ResolvedHooksOptions {
  readonly hooks: HooksOptions;
  readonly agents: AgentsOptions;
  readonly models: ModelsOptions;
  readonly retention: RetentionOptions;
  readonly gatewayAuthToken: string | undefined;
  readonly otherSecrets: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Absolute. */
  readonly configDir: string;
  /** Hooks that the host's code handles (`@OnHook`), by the ids of their mappings. @default none */
  readonly handlers?: HandledHooks | undefined;
}

/** Class and method by the id of the mapping: `orders` → `OrdersHandler.onPush`. */
export type HandledHooks = ReadonlyMap<string, string>;

/** The presets that are enabled: by `hooks.presets`, or by a handler of their name; unknown ids among them. */
export function presetIds({
  hooks,
  handlers = new Map(),
}: Pick<ResolvedHooksOptions, 'hooks' | 'handlers'>): ReadonlySet<string> {
  return new Set([...hooks.presets, ...handlers.keys()]);
}

export interface Resolution {
  /** With problems it may have any shape. */
  readonly resolved: ResolvedHooksOptions;
  /** Everything that is wrong, under the names that its reader knows. */
  readonly problems: readonly Problem[];
  /** What should be looked at; none while there are problems. */
  readonly warnings: readonly Problem[];
  /** True: what mappings are compiled from has the right shape, so that more can be found out about them. */
  readonly areMappingsSound: boolean;
}

/**
 * Fills in every default and checks everything at once: each section by itself, then what several keys show together.
 * @param names how problems and warnings name the options. Default: as `forRoot` takes them.
 * @param now epoch milliseconds, for tokens that end.
 */
export function resolveOptions(
  input: HooksSettingsInput,
  names: OptionNames = MODULE_NAMES,
  now = Date.now(),
): Resolution {
  if (!isObject(input)) {
    const problems = [{ key: names.of('hooks'), message: 'must be an object' }];
    return { ...resolveOptions({}, names), problems, warnings: [], areMappingsSound: false };
  }
  const { agents, models, retention, trustedProxies = [], ...rest } = input;
  const { gatewayAuthToken: givenAuthToken, otherSecrets = [], configDir = '', ...own } = rest;
  const gatewayAuthToken = trimmed(givenAuthToken);
  const sections = {
    hooks: resolveSection(HooksOptions, own, 'hooks'),
    agents: resolveSection(AgentsOptions, agents, 'agents'),
    models: resolveSection(ModelsOptions, models, 'models'),
    retention: resolveSection(RetentionOptions, retention, 'store'),
  };
  const resolved: ResolvedHooksOptions = {
    hooks: normalized(sections.hooks.value),
    agents: sections.agents.value,
    models: sections.models.value,
    retention: sections.retention.value,
    gatewayAuthToken,
    otherSecrets: isListOfTexts(otherSecrets) ? otherSecrets : [],
    trustedProxies: Array.isArray(trustedProxies) ? trustedProxies : [],
    configDir: resolve(configDir),
  };
  const ofSections = Object.values(sections).flatMap((section) => section.problems);
  const ofPath = pathProblems(resolved.hooks);
  const isSound = ofSections.length + ofPath.length === 0;
  const found = onePerKey([
    ...ofSections,
    ...ofPath,
    ...tokenProblems(resolved.hooks, gatewayAuthToken, names),
    ...gatewayProblems(gatewayAuthToken, trustedProxies),
    ...(isListOfTexts(otherSecrets)
      ? []
      : [{ key: 'otherSecrets', message: 'must be an array of strings' }]),
    ...agentListProblems(resolved.agents.list),
    ...(isSound ? connectionProblems(resolved, names) : []),
  ]);
  const variables = names.replacesVariables ? [] : variableProblems(input);
  const problems = [...variables, ...renamed(inMappings(found, own.mappings), names)];
  return {
    resolved,
    problems: onePerKey(problems),
    warnings: problems.length > 0 ? [] : renamed(warningsOf(resolved, now, names), names),
    areMappingsSound: variables.length === 0 && !found.some(concernsMappings),
  };
}

/** The token's header as Node names it, and the path as routes are registered. */
function normalized(hooks: HooksOptions): HooksOptions {
  if (typeof hooks.tokenHeader === 'string') hooks.tokenHeader = hooks.tokenHeader.toLowerCase();
  if (typeof hooks.path === 'string') hooks.path = normalizePrefix(hooks.path);
  return hooks;
}

/** A path of another type was reported by its section already. */
function pathProblems({ path }: HooksOptions): Problem[] {
  return typeof path === 'string' ? prefixProblems(path) : [];
}

function warningsOf(resolved: ResolvedHooksOptions, now: number, names: OptionNames): Problem[] {
  const { hooks, agents, models } = resolved;
  if (!hooks.enabled) return [];
  return [
    ...hooksWarnings(hooks, now, names),
    ...budgetWarnings(resolved),
    ...doubtfulSecrets(hooks, OptionPlace.of(HooksOptions, 'hooks')),
    ...doubtfulSecrets(agents, OptionPlace.of(AgentsOptions, 'agents')),
    ...doubtfulSecrets(models, OptionPlace.of(ModelsOptions, 'models')),
  ];
}

/** What several sections show together; asked only when each is sound by itself. */
function connectionProblems(
  { hooks, agents, models }: ResolvedHooksOptions,
  names: OptionNames,
): Problem[] {
  return [
    ...agentModelProblems(agents, models),
    ...providerProblems(models, names),
    ...agentToolProblems(agents),
    ...budgetProblems({ hooks, agents, models }),
  ];
}

/** Blanks around a token are a slip of the hand: compared with and without them, two tokens would be one. */
function trimmed<T>(token: T): T | string {
  return typeof token === 'string' ? token.trim() : token;
}

function isObject(input: unknown): boolean {
  return isRecord(input);
}

/** Mappings are compiled only when none of the keys that they are compiled from is wrong. */
function concernsMappings({ key }: Problem): boolean {
  return /^hooks(\.mappings|\.presets|\.allowedSessionKeyPrefixes|\.transformsDir|$)/.test(key);
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** What the host says of its gateway; the standalone service checks its own `gateway` section besides. */
function gatewayProblems(authToken: unknown, trustedProxies: unknown): Problem[] {
  const problems: Problem[] = [];
  if (authToken !== undefined && typeof authToken !== 'string') {
    problems.push({ key: 'gateway.auth.token', message: 'must be a string' });
  }
  if (!Array.isArray(trustedProxies)) {
    problems.push({ key: 'gateway.trustedProxies', message: NO_ARRAY });
  }
  return problems;
}
