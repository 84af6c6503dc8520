import type { MappingOptions } from '../../options/index.ts';
import type { Template, ValuePath } from './template.ts';

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

/** A mapping ready to be used: nothing in it is parsed again per request. */
export interface CompiledMapping {
  readonly id: string;
  readonly kind: 'wake' | 'agent';
  /** Absent: any path. */
  readonly path?: string;
  readonly source?: string;
  readonly forEach?: ValuePath;
  readonly templates: Readonly<Partial<Record<TemplatedField, Template>>>;
  readonly options: Readonly<MappingOptions>;
}
