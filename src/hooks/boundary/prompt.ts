import { SECURITY_NOTICE, fence, timeLine } from './fence.ts';
import type { ForeignText } from './fence.ts';

/** What a run is asked. */
export interface PromptParts {
  /** The operator's own words. */
  readonly instructions?: string;
  readonly message: ForeignText;
  /** False: the operator vouches for the hook (`allowUnsafeExternalContent`). */
  readonly isUntrusted: boolean;
}

/** From top to bottom: instructions, notice, fence, time (behaviour.md §9). */
export function renderPrompt({ instructions, message, isUntrusted }: PromptParts): string {
  const content = isUntrusted
    ? [SECURITY_NOTICE, fence(message)]
    : [message.content, timeLine(message.receivedAt)];
  return [...(instructions === undefined ? [] : [instructions]), ...content].join('\n\n');
}
