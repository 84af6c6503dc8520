import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { agentRuns, isDigest, textsIn, writtenTokens } from '../../hooks/index.ts';
import type {
  HooksSettingsInput,
  NamingProblem,
  Problem,
  ResolvedHooksOptions,
} from '../../hooks/index.ts';
import { getField, isRecord } from '../../platform/objects.ts';
import type { Environment } from './environment.ts';
import { CONFIGURATION } from './sections.ts';
import type { OpsOptions } from './sections.ts';

/** The directory below the configuration directory in which agents without a workspace get one. */
export const WORKSPACES = 'workspaces';

/** The `agents` section with absolute workspaces; what is wrong with it stays, for the checks to report. */
export function withAbsoluteWorkspaces(agents: unknown, dir: string): unknown {
  if (!isRecord(agents) || !Array.isArray(agents['list'])) return agents;
  const list = agents['list'].map((agent: unknown) => {
    if (!isRecord(agent)) return agent;
    const { workspace } = agent;
    const isGiven = typeof workspace === 'string' && workspace !== '';
    return isGiven ? { ...agent, workspace: resolve(dir, workspace) } : agent;
  });
  return { ...agents, list };
}

/** Where `runner.env` and `tools.mcp.*.env` list names of variables. */
const VARIABLE_NAME = /\.env\[\d+\]$/;

/**
 * Whatever `agents` and `models` say, variables of programs included, holds none of our tokens: whoever knows one could
 * speak as a sender or an operator.
 */
export function leakedTokens(
  { agents, models, token, tokens: scoped, gatewayAuthToken }: HooksSettingsInput,
  env: Environment,
  { metricsToken, tokens: named }: Partial<OpsOptions> = {},
): NamingProblem[] {
  const tokens = [
    ...writtenTokens({ token, tokens: scoped }).map(({ key, text }) => ({
      value: text,
      name: key,
    })),
    { value: trimmedText(gatewayAuthToken), name: "the operator's token" },
    { value: trimmedText(metricsToken), name: 'ops.metricsToken' },
    ...(Array.isArray(named) ? named : []).map((entry, index) => ({
      value: trimmedText(getField(entry, 'token')),
      name: `ops.tokens[${index}].token`,
    })),
  ].filter(({ value }) => value !== '' && !isDigest(value));
  return textsIn({ agents, models }, CONFIGURATION).flatMap(({ text, place: { key } }) => {
    const isVariable = VARIABLE_NAME.test(key);
    const held = isVariable ? trimmedText(env[text]) : text;
    const found = tokens.find(({ value }) => held.includes(value));
    if (found === undefined) return [];
    const holds = isVariable ? `names a variable that holds ${found.name}` : `holds ${found.name}`;
    return [{ key, message: `${holds}, which no agent may know; remove it`, names: [found.name] }];
  });
}

function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Models that agents and mappings name while no provider is configured: each of their runs would fail. */
export function unservedModels({ agents, models, hooks }: ResolvedHooksOptions): Problem[] {
  if (models.providers.size > 0) return [];
  const all = agentRuns(agents);
  const asked = all.filter(({ runner }) => runner === 'model');
  const named = new Map(asked.map(({ modelKey, model }) => [modelKey, model]));
  if (asked.length === all.length) {
    for (const [index, { model }] of hooks.mappings.entries()) {
      named.set(`hooks.mappings[${index}].model`, model);
    }
  }
  return [...named].flatMap(([key, model]) =>
    model === undefined || model === 'auto' ? [] : [{ key, message: NO_PROVIDER }],
  );
}

/** Agents that a model should run while nobody says which: each of their runs would fail. */
export function unnamedModel({ agents, hooks }: ResolvedHooksOptions): Problem[] {
  const isNeeded = agentRuns(agents).some(
    ({ runner, model }) => runner === 'model' && model === undefined,
  );
  return hooks.enabled && isNeeded ? [{ key: 'agents.defaults.model', message: NO_MODEL }] : [];
}

const NO_MODEL =
  'is not set, so runs that name no model fail unless a local Ollama serves them; set it to <provider>/<model>, or to auto';

const NO_PROVIDER =
  'names a model, but models.providers is empty, so every run of it fails; add its provider there';

/** Programs of agents and of their tools that this user cannot start: every turn that needs one would fail. */
export function unfoundPrograms({ agents }: ResolvedHooksOptions, env: Environment): Problem[] {
  const { defaults, list } = agents;
  const programs: [string, string | undefined][] = [
    ['agents.defaults.runner.command', defaults.runner?.command],
    ...list.flatMap(({ runner, tools }, index): [string, string | undefined][] => [
      [`agents.list[${index}].runner.command`, runner?.command],
      ...Array.from(tools?.mcp ?? [], ([name, { command }]): [string, string | undefined] => [
        `agents.list[${index}].tools.mcp.${name}.command`,
        command,
      ]),
    ]),
  ];
  return programs.flatMap(([key, program]) =>
    program === undefined || isFound(program, env['PATH'] ?? '')
      ? []
      : [{ key, message: `names a program that ${missing(program)}` }],
  );
}

function isFound(program: string, path: string): boolean {
  if (isAbsolute(program)) return mayRun(program);
  return path.split(delimiter).some((dir) => dir !== '' && mayRun(join(dir, program)));
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function missing(program: string): string {
  return isAbsolute(program)
    ? 'is not there or may not be run; install it there or correct the path'
    : 'PATH does not find; install it or write its absolute path';
}
