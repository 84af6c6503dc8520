// docs/design/agents.md
/**
 * The boundary between an agent and text that somebody else wrote: pure functions, linear in the text's length.
 * `frame.ts` builds what an agent is shown, with foreign text between markers; `signals.ts` counts what looks like an
 * injection; people who decide see an `excerpt.ts`. All of it rests on `neutralize.ts`, which takes from a text whatever
 * could pass as structure: `forgeries.ts` finds it in a text that `fold.ts` read as a careless reader would.
 */
export { neutralize, neutralizeLine } from './neutralize.ts';
export { renderPrompt, renderSystemEvents, showEvent } from './frame.ts';
export type { CameText } from './frame.ts';
export { signalsOf } from './signals.ts';
export { EXCERPT_CHARS, showExcerpt } from './excerpt.ts';
export { isAllSeen } from './padding.ts';
