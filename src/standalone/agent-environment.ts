import type { HooksSettingsInput, Problem } from '../hooks/index.ts';
import { isSections } from './json5-document.ts';
import type { Environment } from './variables.ts';

/**
 * Variables for programs (`runner.env`, `tools.mcp.*.env`) that hold one of our own tokens, alone or among other words:
 * whoever knows it could speak as a sender or an operator.
 */
export function leakedTokens(
  { agents, token, gatewayAuthToken }: HooksSettingsInput,
  env: Environment,
): Problem[] {
  const tokens = [
    { value: textOf(token), name: 'hooks.token' },
    { value: textOf(gatewayAuthToken), name: "the operator's token" },
  ].filter(({ value }) => value !== '');
  return programsOf(agents).flatMap(([key, program]) =>
    listOf(memberOf(program, 'env')).flatMap((name, index) => {
      const held = typeof name === 'string' ? textOf(env[name]) : '';
      const found = tokens.find(({ value }) => held.includes(value));
      if (found === undefined) return [];
      const message = `names a variable that holds ${found.name}, which no agent may know; remove it`;
      return [{ key: `${key}.env[${index}]`, message }];
    }),
  );
}

/** Every runner and every MCP server by its key; the section may still have any shape. */
function programsOf(agents: unknown): [string, unknown][] {
  return [
    ['agents.defaults.runner', memberOf(memberOf(agents, 'defaults'), 'runner')],
    ...listOf(memberOf(agents, 'list')).flatMap((agent, index): [string, unknown][] => [
      [`agents.list[${index}].runner`, memberOf(agent, 'runner')],
      ...serversOf(agent).map(([name, server]): [string, unknown] => [
        `agents.list[${index}].tools.mcp.${name}`,
        server,
      ]),
    ]),
  ];
}

function serversOf(agent: unknown): [string, unknown][] {
  const servers = memberOf(memberOf(agent, 'tools'), 'mcp');
  return isSections(servers) ? Object.entries(servers) : [];
}

function memberOf(value: unknown, key: string): unknown {
  return isSections(value) ? value[key] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
