import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderType } from '../../../src/adapters/agents/index.ts';

export const STEP_USAGE = { inputTokens: 11, outputTokens: 7 };

export interface ModelProtocol {
  readonly type: ProviderType;
  readonly basePath: string;
  readonly modelId: string;
  readonly route: string;
  text(reply: string, finish?: 'stop' | 'length'): readonly string[];
  toolCall(tool: string, input: unknown): readonly string[];
  refusal(status: number, message: string): unknown;
  readonly overload: string;
  keyOf(headers: IncomingHttpHeaders): unknown;
  systemOf(body: unknown): unknown;
  toolsOf(body: unknown): readonly unknown[];
  thinkingOf(body: unknown): unknown;
}

export function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The value at a path of keys; undefined when there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null ? Reflect.get(found, String(key)) : undefined,
    value,
  );
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
