import { bareName } from '../actions/hook-request.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import type { CompiledMapping } from './mapping.ts';

/*
 * Which mapping takes a request: the first, in the order in which they are compiled, whose path and source are those of
 * the request. Nothing else of a request is looked at.
 */

/** What mappings are compared with. */
export interface MatchInput {
  /** The sub-path without outer slashes. */
  readonly path: string;
  readonly source: string | undefined;
}

/**
 * One mapping, and why it takes a request or not. Part of a preview, as the HTTP API gives it.
 * @publicApi
 */
export interface MatchExplanation {
  /** The id of the mapping. */
  readonly mapping: string;
  readonly takes: boolean;
  /** One sentence for the operator; it names the path or the source of the request. */
  readonly because: string;
}

export function toMatchInput({ name, payload }: HookRequest): MatchInput {
  return { path: bareName(name), source: readSource(payload) };
}

/** The payload's own string field `source`; an inherited one does not count. */
export function readSource(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const source: unknown = Object.getOwnPropertyDescriptor(payload, 'source')?.value;
  return typeof source === 'string' ? source : undefined;
}

/** Whether a mapping would take a request, were it the only one. */
export function matches({ path, source }: CompiledMapping, input: MatchInput): boolean {
  return (
    (path === undefined || path === input.path) && (source === undefined || source === input.source)
  );
}

/** Every mapping in the order in which they are tried; the first that matches takes the request. */
export function explainMatch(
  mappings: readonly CompiledMapping[],
  input: MatchInput,
): readonly MatchExplanation[] {
  const first = mappings.find((mapping) => matches(mapping, input));
  return mappings.map((mapping) => ({
    mapping: mapping.id,
    takes: mapping === first,
    because: explain(mapping, input, first),
  }));
}

function explain(
  mapping: CompiledMapping,
  input: MatchInput,
  first: CompiledMapping | undefined,
): string {
  const { path, source } = mapping;
  if (path !== undefined && path !== input.path) {
    return `its path is ${quote(path)}, the request's ${quote(input.path)}`;
  }
  if (source !== undefined && source !== input.source) {
    const given = input.source === undefined ? 'has none' : `says ${quote(input.source)}`;
    return `its source is ${quote(source)}, the payload ${given}`;
  }
  if (mapping === first) return 'it is the first that fits';
  return `it would fit, but ${quote(first?.id ?? '')} comes first`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
