import type { MappingOptions } from '../../../options/index.ts';
import { mail } from './mail.ts';

/** Every built-in mapping by the name that `hooks.presets` uses. */
export const presets: ReadonlyMap<string, MappingOptions & { id: string }> = new Map(
  [mail].map((preset) => [preset.id, preset]),
);
