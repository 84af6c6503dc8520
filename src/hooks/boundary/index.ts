export { renderPrompt } from './prompt.ts';
export { signalsOf } from './signals.ts';
export { renderSystemEvents } from './system-events.ts';
