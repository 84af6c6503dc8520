import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderType } from '../../../src/adapters/agents/index.ts';

/** Tokens that every step of a stub's answer says it used. */
export const STEP_USAGE = { inputTokens: 11, outputTokens: 7 };

/** How one provider speaks, as far as the tests need it: the bodies of event streams, and of refusals. */
export interface ModelProtocol {
  readonly type: ProviderType;
  /** Below the server's origin; what `baseUrl` ends with. */
  readonly basePath: string;
  readonly modelId: string;
  /** Where a streamed answer is asked for. */
  readonly route: string;
  /** The whole stream of an answer, in the pieces in which it is sent; each piece ends with an event. */
  text(reply: string, finish?: 'stop' | 'length'): readonly string[];
  toolCall(tool: string, input: unknown): readonly string[];
  /** A refusal's body. */
  refusal(status: number, message: string): unknown;
  /** One event that says that the provider is overloaded. */
  readonly overload: string;
  /** What the API key came in. */
  keyOf(headers: IncomingHttpHeaders): unknown;
  systemOf(body: unknown): unknown;
  /** Names of the tools that the model was offered. */
  toolsOf(body: unknown): readonly unknown[];
  /** The setting that the thinking level became. */
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
