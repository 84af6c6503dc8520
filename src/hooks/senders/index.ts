import { readOwn } from './folders.ts';
import { toPreset } from './preset.ts';
import type { Preset } from './preset.ts';
import type { SignatureScheme } from './scheme.ts';

export type { Preset, PresetCase } from './preset.ts';
export { bodyOf, listSamples, readSample } from './samples.ts';
export type { Sample } from './samples.ts';
export type * from './scheme.ts';

const own = Object.entries(readOwn());

/**
 * Every built-in mapping by the name that `hooks.presets` uses. None is in force unless the configuration names it, and a
 * mapping with its id merges over it, field by field.
 */
export const presets: ReadonlyMap<string, Preset> = new Map(
  own.flatMap(([id, { preset }]) => (preset === undefined ? [] : [[id, toPreset(id, preset)]])),
);

/** How every sender that we know proves who it is, by the id that `verify.scheme` uses. */
export const schemes: ReadonlyMap<string, SignatureScheme> = new Map(
  own.flatMap(([id, { scheme }]) => (scheme === undefined ? [] : [[id, { ...scheme, id }]])),
);
