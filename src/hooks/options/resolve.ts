import { resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import { validateSync } from 'class-validator';
import { agentListProblems } from './agent-list.ts';
import { modelProblems } from './model-problems.ts';
import { AgentsOptions } from './agents-options.ts';
import { HooksOptions } from './hooks-options.ts';
import { ModelsOptions } from './models-options.ts';
import { RetentionOptions } from './retention-options.ts';
import { NO_ARRAY, isRecord, onePerKey, problemsOf } from './problem.ts';
import type { Problem } from './problem.ts';
import { inMappings } from './mapping-problems.ts';
import { plainSection } from './plain-section.ts';
import { providerProblems } from './provider-problems.ts';
import { toolProblems } from './tool-problems.ts';
import { normalizePrefix, prefixProblems } from './prefix.ts';
import { tokenProblems, warningsOf } from './token-rules.ts';

/** Options as a person writes them: every key optional, maps as objects. */
export type Given<T> = T extends string | number | boolean | undefined
  ? T
  : T extends Map<string, infer V>
    ? Readonly<Record<string, Given<V>>>
    : T extends readonly (infer I)[]
      ? readonly Given<I>[]
      : { readonly [K in keyof T]?: Given<T[K]> };

/** What {@link HooksModule} takes besides its wiring: the keys of the `hooks` section and its neighbours. */
export interface HooksSettingsInput extends Given<HooksOptions> {
  readonly agents?: Given<AgentsOptions>;
  readonly models?: Given<ModelsOptions>;
  readonly retention?: Given<RetentionOptions>;
  /** The gateway's own token: the hook token must differ from it. */
  readonly gatewayAuthToken?: string;
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Directory of the configuration, where `transforms/` is looked for. Default: the working directory. */
  readonly configDir?: string;
}

/** Options with every default filled in. Never changed; a reload makes a new one. */
export interface ResolvedHooksOptions {
  readonly hooks: HooksOptions;
  readonly agents: AgentsOptions;
  readonly models: ModelsOptions;
  readonly retention: RetentionOptions;
  readonly gatewayAuthToken: string | undefined;
  readonly trustedProxies: readonly string[];
  /** Absolute. */
  readonly configDir: string;
}

export interface Resolution {
  readonly resolved: ResolvedHooksOptions;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Fills defaults into one section and reports what is wrong with it. */
export function resolveSection<T extends object>(
  section: ClassConstructor<T>,
  given: unknown,
  name: string,
): { value: T; problems: Problem[] } {
  const present = given ?? {};
  if (!isRecord(present)) {
    return { value: new section(), problems: [{ key: name, message: 'must be an object' }] };
  }
  const { plain, problems } = plainSection(present, name);
  const value = plainToInstance(section, plain, { exposeDefaultValues: true });
  const errors = validateSync(value, { whitelist: true, forbidNonWhitelisted: true });
  return { value, problems: onePerKey([...problems, ...problemsOf(errors, name)]) };
}

/** Fills in every default and checks everything at once. */
export function resolveOptions(input: HooksSettingsInput): Resolution {
  if (!isObject(input)) return unusable();
  const { agents, models, retention, trustedProxies = [], ...rest } = input;
  const { gatewayAuthToken: givenAuthToken, configDir = '', ...own } = rest;
  const gatewayAuthToken = trimmed(givenAuthToken);
  const hooks = resolveSection(HooksOptions, own, 'hooks');
  const sections = {
    agents: resolveSection(AgentsOptions, agents, 'agents'),
    models: resolveSection(ModelsOptions, models, 'models'),
    retention: resolveSection(RetentionOptions, retention, 'store'),
  };
  const problems = [hooks, ...Object.values(sections)].flatMap((section) => section.problems);
  hooks.value.token = trimmed(hooks.value.token);
  if (typeof hooks.value.path === 'string') {
    hooks.value.path = normalizePrefix(hooks.value.path);
    problems.push(...prefixProblems(hooks.value.path));
  }
  problems.push(
    ...tokenProblems(hooks.value, gatewayAuthToken),
    ...gatewayProblems(gatewayAuthToken, trustedProxies),
    ...agentListProblems(sections.agents.value.list),
    ...(problems.length === 0
      ? connectionProblems(sections.agents.value, sections.models.value)
      : []),
  );
  const resolved: ResolvedHooksOptions = {
    hooks: hooks.value,
    agents: sections.agents.value,
    models: sections.models.value,
    retention: sections.retention.value,
    gatewayAuthToken,
    trustedProxies: Array.isArray(trustedProxies) ? trustedProxies : [],
    configDir: resolve(configDir),
  };
  return {
    resolved,
    problems: inMappings(onePerKey(problems), own.mappings),
    warnings: problems.length > 0 ? [] : warningsOf(hooks.value),
  };
}

/** What several keys show together; asked only about sections that are sound by themselves. */
function connectionProblems(agents: AgentsOptions, models: ModelsOptions): Problem[] {
  return [...modelProblems(agents, models), ...providerProblems(models), ...toolProblems(agents)];
}

/** Blanks around a token are a slip of the hand: compared with and without them, two tokens would be one. */
function trimmed<T>(token: T): T | string {
  return typeof token === 'string' ? token.trim() : token;
}

function isObject(input: unknown): boolean {
  return isRecord(input);
}

function unusable(): Resolution {
  const { resolved } = resolveOptions({});
  return { resolved, problems: [{ key: 'hooks', message: 'must be an object' }], warnings: [] };
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
