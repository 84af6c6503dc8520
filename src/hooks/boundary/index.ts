// docs/design/agents.md
/**
 * The boundary between an agent and text that somebody else wrote: pure functions, linear in the text's length. All of
 * it rests on `neutralize.ts`, which takes from a text whatever could pass as structure.
 */
export { neutralize, neutralizeLine } from './neutralize.ts';
export { renderPrompt, renderSystemEvents, showEvent } from './frame.ts';
export type { CameText } from './frame.ts';
export { signalsOf } from './signals.ts';
export { EXCERPT_CHARS, showExcerpt } from './excerpt.ts';
export { isAllSeen } from './padding.ts';
