import { renderPrompt } from '../boundary/index.ts';
import type { RunOrder } from '../ports/index.ts';
import type { SessionInput } from './session-turns.ts';

/** What the agent is asked: the hook's message, after what waits in the session (null: a session without a past). */
export function promptOf(run: RunOrder, session: SessionInput | null): string {
  const prompt = renderPrompt({
    isUntrusted: run.trust.level === 'untrusted',
    message: {
      source: run.source,
      hook: run.hook,
      verifiedBy: run.trust.verifiedBy,
      content: run.message,
      receivedAt: run.receivedAt,
    },
    instructions: run.instructions,
  });
  return session === null || session.shown === '' ? prompt : `${session.shown}\n\n${prompt}`;
}
