import { bareName } from '../hook-request.ts';
import type { HookRequest } from '../hook-request.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { sourceOf } from './payload-source.ts';

/** What a request offers for a mapping to match. */
export interface Offer {
  readonly path: string;
  /** The payload's own string field `source`. */
  readonly source: string | undefined;
}

export function offerOf({ name, payload }: HookRequest): Offer {
  return { path: bareName(name), source: sourceOf(payload) };
}

export function takes({ path, source }: CompiledMapping, offer: Offer): boolean {
  return (
    (path === undefined || path === offer.path) && (source === undefined || source === offer.source)
  );
}

/** One mapping, and why it takes a request or not. */
export interface Considered {
  readonly mapping: string;
  readonly takes: boolean;
  /** One sentence for the operator; it names what the request offered. */
  readonly because: string;
}

/** Every mapping in the order they are tried; the first that fits takes the request. */
export function consider(
  mappings: readonly CompiledMapping[],
  offer: Offer,
): readonly Considered[] {
  const first = mappings.find((mapping) => takes(mapping, offer));
  return mappings.map((mapping) => ({
    mapping: mapping.id,
    takes: mapping === first,
    because: reason(mapping, offer, first),
  }));
}

function reason(
  mapping: CompiledMapping,
  offer: Offer,
  first: CompiledMapping | undefined,
): string {
  const { path, source } = mapping;
  if (path !== undefined && path !== offer.path) {
    return `its path is ${quoted(path)}, the request's ${quoted(offer.path)}`;
  }
  if (source !== undefined && source !== offer.source) {
    const given = offer.source === undefined ? 'has none' : `says ${quoted(offer.source)}`;
    return `its source is ${quoted(source)}, the payload ${given}`;
  }
  if (mapping === first) return 'it is the first that fits';
  return `it would fit, but ${quoted(first?.id ?? '')} comes first`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
