import type { DedupeRule } from '../actions/idempotency.ts';
import type { Redaction } from '../../platform/credentials.ts';
import type { MappingAction, MappingOptions } from '../options/index.ts';
import type { Collecting, RuleScope } from '../ports/index.ts';
import type { Template } from './template.ts';
import type { ValuePath } from './value-path.ts';
import type { ParsedConditions } from './when.ts';

// As written: `MappingEntry`; as used for requests: `CompiledMapping`; for checks both: `PlacedMapping`.

/** Most items that one request may fan out to, and most actions that it may become. */
export const MAX_ACTIONS = 200;

export const TEMPLATED = [
  'messageTemplate',
  'textTemplate',
  'name',
  'sessionKey',
  'to',
  'model',
  'thinking',
  'dedupeKey',
  'resume',
] as const;
export type TemplatedField = (typeof TEMPLATED)[number];

/** A mapping of the configuration, an enabled preset, or one case of a preset. */
export interface MappingEntry {
  /** How it is named: `hooks.mappings[0]`, or `preset <id>`. */
  readonly key: string;
  /** What the operator wrote of it; of a preset alone, the preset. */
  readonly written: MappingOptions;
  /** The places where the operator wrote it, the later over the earlier; none for what only a preset brings. */
  readonly layers: readonly WrittenMapping[];
  /** All of that, merged over what a preset brings. */
  readonly mapping: MappingOptions;
}

/** What stands at one place of the configuration; several cases of a preset may have it in common. */
export interface WrittenMapping {
  readonly key: string;
  readonly mapping: MappingOptions;
  /** What becomes of it: one action, unless it is merged over several cases of a preset. */
  readonly actions: ReadonlySet<MappingAction>;
}

export interface CompiledReplyTo {
  readonly provider: string;
  readonly to: Template;
  readonly text?: Template;
  /** What closes it to strangers; none: it is closed. Absent: it never is. */
  readonly private?: ParsedConditions;
}

export interface CompiledCollect extends Omit<Collecting, 'queue'> {
  readonly by?: Template;
  readonly scope: RuleScope;
}

/** A mapping ready to be used: nothing in it is parsed again per request. */
export interface CompiledMapping {
  /** As events and logs name it: its id, else its path, else its source. */
  readonly id: string;
  /** What it makes of a request, unless its transform asks for the other; `ignore` makes nothing, `resume` a run that resumes others. */
  readonly kind: Exclude<MappingAction, 'resume'>;
  /** The sub-path that it takes, without outer slashes. Absent: any path. */
  readonly path?: string;
  /** The payload's `source` that it takes. Absent: any source, or none. */
  readonly source?: string;
  /** What else must hold of a request. Absent: nothing. */
  readonly when?: ParsedConditions;
  readonly dedupe: DedupeRule;
  /** Where the list is whose items become an action each. Absent: one action. */
  readonly forEach?: ValuePath;
  /** `redact` and `keep`. */
  readonly redaction: Redaction;
  readonly templates: Readonly<Partial<Record<TemplatedField, Template>>>;
  readonly replyTo?: CompiledReplyTo;
  readonly collect?: CompiledCollect;
  /** Of what it takes, what is sent in quiet hours, too: whatever meets one of these. */
  readonly excepted?: readonly ParsedConditions[];
  /** The key that its runs wait for before they begin. */
  readonly awaitedKey?: Template;
  /** What its runs are to do. Absent: as `agents.defaults` says. */
  readonly task?: string;
  /** The method of the host's that decides what becomes of a request, once it is accepted. Absent: the mapping does. */
  readonly handler?: string;
  readonly options: Readonly<MappingOptions>;
}

export interface PlacedMapping {
  readonly entry: MappingEntry;
  readonly compiled: CompiledMapping;
}

export function toLabel({ key, mapping: { id } }: MappingEntry): string {
  return id === undefined || key === `preset ${id}`
    ? key
    : `${key} (mapping ${JSON.stringify(id)})`;
}

/** Where a field of a mapping is written; where nobody wrote it, how the mapping is named. */
export function keyOf({ key, layers }: MappingEntry, field: keyof MappingOptions): string {
  const place = layers.findLast(({ mapping }) => mapping[field] !== undefined);
  return `${place?.key ?? key}.${field}`;
}
