import type { HooksSettingsInput, Problem } from '../hooks/index.ts';
import { isSections } from './json5-document.ts';
import type { Environment } from './variables.ts';

/** Variables of `runner.env` that hold one of our own tokens: an agent that knows it could speak as a sender or an operator. */
export function leakedTokens(
  { agents, token, gatewayAuthToken }: HooksSettingsInput,
  env: Environment,
): Problem[] {
  const tokens = new Map([
    [textOf(token), 'hooks.token'],
    [textOf(gatewayAuthToken), "the operator's token"],
  ]);
  return runnersOf(agents).flatMap(([key, runner]) =>
    listOf(memberOf(runner, 'env')).flatMap((name, index) => {
      const value = typeof name === 'string' ? textOf(env[name]) : '';
      const found = value === '' ? undefined : tokens.get(value);
      if (found === undefined) return [];
      const message = `names a variable that holds ${found}, which no agent may know; remove it`;
      return [{ key: `${key}.env[${index}]`, message }];
    }),
  );
}

/** Every runner by its key; the section may still have any shape. */
function runnersOf(agents: unknown): [string, unknown][] {
  return [
    ['agents.defaults.runner', memberOf(memberOf(agents, 'defaults'), 'runner')],
    ...listOf(memberOf(agents, 'list')).map((agent, index): [string, unknown] => [
      `agents.list[${index}].runner`,
      memberOf(agent, 'runner'),
    ]),
  ];
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
