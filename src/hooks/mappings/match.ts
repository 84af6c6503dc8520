import { bareName } from '../actions/hook-request.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import { explainNo } from './explain-when.ts';
import type { CredentialRule } from './explain-when.ts';
import type { CompiledMapping } from './mapping.ts';
import { lookIn } from './value-path.ts';
import { findNo } from './when.ts';
import type { ConditionInput } from './when.ts';

interface MatchInput extends ConditionInput {
  /** The sub-path without outer slashes. */
  readonly path: string;
  readonly source: string | undefined;
}

/** One mapping, and why it takes a request or not. Part of a preview, as the HTTP API gives it. */
export interface MatchExplanation {
  /** The id of the mapping. */
  readonly mapping: string;
  readonly takes: boolean;
  /** Whether it has the request's path, or none and so takes every path. */
  readonly samePath: boolean;
  /** One sentence for the operator; it names the path or the source of the request, or the value that a condition found. */
  readonly because: string;
}

export interface DeclinedRequest {
  /** For metrics: the path or the id of the first of these mappings, never a name from the URL. */
  readonly id: string;
  /** For the sender and the event: which conditions said no, without any value. */
  readonly reason: string;
}

export function toMatchInput({ name, payload, headers, query }: HookRequest): MatchInput {
  return { path: bareName(name), source: readSource(payload), payload, headers, query };
}

/** The payload's own string field `source`; an inherited one does not count. */
export function readSource(payload: unknown): string | undefined {
  const source = lookIn(payload, ['source']);
  return typeof source === 'string' ? source : undefined;
}

/** Most mappings that a reason names. */
const MOST_NAMED = 5;

/** The mapping that takes a request; null: none knows its path and source. */
export function findMapping(
  mappings: readonly CompiledMapping[],
  input: MatchInput,
): CompiledMapping | DeclinedRequest | null {
  const declined: { mapping: CompiledMapping; place: string; met: number }[] = [];
  for (const mapping of mappings) {
    if (!fitsName(mapping, input)) continue;
    const { when = [] } = mapping;
    const no = findNo(when, input);
    if (no === null) return mapping;
    declined.push({ mapping, place: no.place, met: when.indexOf(no) });
  }
  const [first] = declined;
  if (first === undefined) return null;
  // Of many cases, the one that came closest is the one that was meant.
  const named = declined
    .toSorted((a, b) => b.met - a.met)
    .slice(0, MOST_NAMED)
    .map(({ mapping, place }) => `${mapping.id} (${place})`);
  const rest = declined.length - named.length;
  const all = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  return {
    id: first.mapping.path ?? first.mapping.id,
    reason: `no mapping takes it, because of their conditions: ${all}`,
  };
}

function fitsName(mapping: CompiledMapping, input: MatchInput): boolean {
  const { source } = mapping;
  return hasPath(mapping, input) && (source === undefined || source === input.source);
}

function hasPath({ path }: CompiledMapping, input: MatchInput): boolean {
  return path === undefined || path === input.path;
}

/** In the order in which they are tried. @param isCredential what must not be shown of values */
export function explainMatch(
  mappings: readonly CompiledMapping[],
  input: MatchInput,
  isCredential: CredentialRule,
): readonly MatchExplanation[] {
  const found = findMapping(mappings, input);
  return mappings.map((mapping) => ({
    mapping: mapping.id,
    takes: mapping === found,
    samePath: hasPath(mapping, input),
    because: explainName(mapping, input) ?? explainRest(mapping, input, { found, isCredential }),
  }));
}

function explainName(mapping: CompiledMapping, input: MatchInput): string | undefined {
  const { path, source } = mapping;
  if (path !== undefined && !hasPath(mapping, input)) {
    return `its path is ${quote(path)}, the request's ${quote(input.path)}`;
  }
  if (source !== undefined && source !== input.source) {
    const given = input.source === undefined ? 'has none' : `says ${quote(input.source)}`;
    return `its source is ${quote(source)}, the payload ${given}`;
  }
  return undefined;
}

function explainRest(
  mapping: CompiledMapping,
  input: MatchInput,
  about: { found: ReturnType<typeof findMapping>; isCredential: CredentialRule },
): string {
  const no = mapping.when === undefined ? null : findNo(mapping.when, input);
  if (no !== null) return explainNo(no, input, about.isCredential);
  if (mapping === about.found) return 'it is the first that fits';
  return `it would fit, but ${quote(about.found?.id ?? '')} comes first`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
