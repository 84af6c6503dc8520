import type { Redaction } from '../../platform/credentials.ts';
import type { MappingOptions } from '../options/index.ts';
import type { Template, ValuePath } from './template.ts';

/*
 * A mapping in its two forms: as it is written (`MappingEntry`), and as it is used for requests (`CompiledMapping`).
 * Checks need both (`PlacedMapping`), to say of the compiled one where the operator can change it.
 */

/** Most items that one request may fan out to, and most actions that it may become. */
export const MAX_ACTIONS = 200;

/** Fields of a mapping that are templates. */
export const TEMPLATED = [
  'messageTemplate',
  'textTemplate',
  'name',
  'sessionKey',
  'to',
  'model',
  'thinking',
  'dedupeKey',
] as const;
export type TemplatedField = (typeof TEMPLATED)[number];

/** A mapping of the configuration, or an enabled preset. */
export interface MappingEntry {
  /** Where it is written: `hooks.mappings[0]`, or `preset <id>`. */
  readonly key: string;
  /** As the operator wrote it; of a preset, the preset. */
  readonly written: MappingOptions;
  /** With what a preset of the same id brings. */
  readonly mapping: MappingOptions;
}

/** A mapping ready to be used: nothing in it is parsed again per request. */
export interface CompiledMapping {
  /** As events and logs name it: its id, else its path, else its source. */
  readonly id: string;
  /** What it makes of a request, unless its transform asks for the other. */
  readonly kind: 'wake' | 'agent';
  /** The sub-path that it takes, without outer slashes. Absent: any path. */
  readonly path?: string;
  /** The payload's `source` that it takes. Absent: any source, or none. */
  readonly source?: string;
  /** Where the list is whose items become an action each. Absent: one action. */
  readonly forEach?: ValuePath;
  /** `redact` and `keep`. */
  readonly redaction: Redaction;
  readonly templates: Readonly<Partial<Record<TemplatedField, Template>>>;
  /** Everything else, as it is written. */
  readonly options: Readonly<MappingOptions>;
}

/** A mapping with the place where it is written. */
export interface PlacedMapping {
  readonly entry: MappingEntry;
  readonly compiled: CompiledMapping;
}

/** How messages name a mapping: where it is written, and its id when it has one. */
export function toLabel({ key, mapping: { id } }: MappingEntry): string {
  return id === undefined || key === `preset ${id}`
    ? key
    : `${key} (mapping ${JSON.stringify(id)})`;
}
