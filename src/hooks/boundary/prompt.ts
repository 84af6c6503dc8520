import { SECURITY_NOTICE, fence } from './fence.ts';
import type { ForeignText } from './fence.ts';

/** What a run is asked. */
export interface PromptParts {
  /** The operator's own words. */
  readonly instructions?: string;
  readonly message: ForeignText;
  /** False: the operator vouches for the hook (`allowUnsafeExternalContent`). */
  readonly isUntrusted: boolean;
  /** Epoch milliseconds of the request. */
  readonly receivedAt: number;
}

/** From top to bottom: instructions, notice, fence, time (behaviour.md §9). */
export function renderPrompt({
  instructions,
  message,
  isUntrusted,
  receivedAt,
}: PromptParts): string {
  const content = isUntrusted ? [SECURITY_NOTICE, fence(message)] : [message.content];
  return [
    ...(instructions === undefined ? [] : [instructions]),
    ...content,
    `Received: ${new Date(receivedAt).toISOString()}`,
  ].join('\n\n');
}
