// docs/design/agents.md
/**
 * The boundary between an agent and text that somebody else wrote. Three functions, all of them pure and linear in
 * the text's length:
 *
 * - `renderPrompt` and `renderSystemEvents` (`frame.ts`) build what an agent is shown, with foreign text between markers.
 * - `signalsOf` (`signals.ts`) counts what looks like an injection, as a hint for the operator.
 *
 * People who decide are shown the beginning of such text between the same markers (`excerpt.ts`), and decide by a tap only
 * where they see all of what they decide about (`padding.ts`).
 *
 * All of it rests on `neutralize.ts`, which takes from a text whatever could pass as structure: look-alikes of the markers
 * and chat-template tokens (`forgeries.ts`), and hidden characters (`hidden.ts`). To find the first two
 * however they are dressed up, a text is folded first (`fold.ts`): read as a careless reader would. Tables are in `data/`.
 */
export { neutralize, neutralizeLine } from './neutralize.ts';
export { renderPrompt, renderSystemEvents, showEvent } from './frame.ts';
export type { CameText } from './frame.ts';
export { signalsOf } from './signals.ts';
export { EXCERPT_CHARS, showExcerpt } from './excerpt.ts';
export { isAllSeen } from './padding.ts';
