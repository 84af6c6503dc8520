import { renderPrompt } from '../boundary/index.ts';
import { DEFAULT_HOOK_NAME } from '../ports/index.ts';
import type { ResumingEvent, RunJob } from '../ports/index.ts';
import { toCameText } from './event-waits.ts';
import type { SessionInput } from './session.ts';

/** What the agent is asked: its task, what waits in the session (null: a session without a past), the hook's message. */
export function buildPrompt(
  run: RunJob,
  session: SessionInput | null,
  event: ResumingEvent | null = null,
): string {
  const { trust, name } = run;
  return renderPrompt({
    task: run.task,
    instructions: run.instructions,
    waiting: session?.shown,
    isUntrusted: trust.level === 'untrusted',
    isRequest: trust.mapping === undefined,
    isSent: run.deliver !== null,
    ...(event !== null && { came: toCameText(event) }),
    message: {
      source: run.source,
      hook: run.hook,
      ...(name !== DEFAULT_HOOK_NAME && { name }),
      verifiedBy: sendersOf(run).join(', '),
      content: run.message,
      receivedAt: run.receivedAt,
    },
  });
}

/** How those were verified whose words the message has. */
function sendersOf({ trust, collected = [] }: RunJob): readonly string[] {
  const senders = new Set(collected.map((event) => event.trust.verifiedBy));
  return senders.size === 0 ? [trust.verifiedBy] : [...senders];
}
