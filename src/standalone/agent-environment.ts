import type { HooksSettingsInput, Problem } from '../hooks/index.ts';
import type { Environment } from './variables.ts';

/** Where `runner.env` and `tools.mcp.*.env` list names of variables. */
const VARIABLE_NAME = /\.env\[\d+\]$/;

/**
 * Whatever `agents` and `models` say – arguments, headers, keys, instructions, and the variables that programs are
 * given – holds none of our own tokens, alone or among other words: whoever knows one could speak as a sender or an
 * operator.
 */
export function leakedTokens(
  { agents, models, token, gatewayAuthToken }: HooksSettingsInput,
  env: Environment,
): Problem[] {
  const tokens = [
    { value: textOf(token), name: 'hooks.token' },
    { value: textOf(gatewayAuthToken), name: "the operator's token" },
  ].filter(({ value }) => value !== '');
  const texts = [...textsIn('agents', agents), ...textsIn('models', models)];
  return texts.flatMap(([key, text]) => {
    const isVariable = VARIABLE_NAME.test(key);
    const held = isVariable ? textOf(env[text]) : text;
    const found = tokens.find(({ value }) => held.includes(value));
    if (found === undefined) return [];
    const holds = isVariable ? `names a variable that holds ${found.name}` : `holds ${found.name}`;
    return [{ key, message: `${holds}, which no agent may know; remove it` }];
  });
}

/** Every text by its key; the sections may still have any shape. */
function textsIn(key: string, value: unknown): [string, string][] {
  if (typeof value === 'string') return [[key, value]];
  if (Array.isArray(value)) return value.flatMap((one, at) => textsIn(`${key}[${at}]`, one));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => textsIn(`${key}.${name}`, one));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
