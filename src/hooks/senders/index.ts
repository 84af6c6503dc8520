import { ownSenders } from './known.ts';

export { SENDERS_DIR } from './folders.ts';
export { senderProblems, sendersOf } from './known.ts';
export type { Senders } from './known.ts';
export type { Preset, PresetCase } from './preset.ts';
export { fillParts } from './row-rules.ts';
export { bodyOf, listSamples, readSample } from './samples.ts';
export type { Sample } from './samples.ts';
export type { Handshake, QuestionPlace } from './handshake.ts';
export type * from './scheme.ts';

/** Ours; {@link sendersOf} knows those of a configuration besides. */
export const { presets, schemes } = ownSenders;
