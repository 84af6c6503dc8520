import type { MappingOptions } from '../../options/index.ts';

/** A built-in mapping: `hooks.presets` enables it by its id, which is also its path. */
export type Preset = MappingOptions & { readonly id: string };
