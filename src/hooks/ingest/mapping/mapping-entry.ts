import type { MappingOptions } from '../../options/index.ts';

/** A mapping of the configuration, or an enabled preset, in the order in which they are tried. */
export interface MappingEntry {
  /** Where it is written: `hooks.mappings[0]`, or `preset <id>`. */
  readonly key: string;
  /** As the operator wrote it; of a preset, the preset. */
  readonly written: MappingOptions;
  /** With what a preset of the same id brings. */
  readonly mapping: MappingOptions;
}

/** Where a mapping is written, and its id when it has one. */
export function labelOf({ key, mapping: { id } }: MappingEntry): string {
  return id === undefined || key === `preset ${id}`
    ? key
    : `${key} (mapping ${JSON.stringify(id)})`;
}
