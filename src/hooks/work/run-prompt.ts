import { renderPrompt } from '../boundary/index.ts';
import { DEFAULT_HOOK_NAME } from '../ports/index.ts';
import type { ResumingEvent, RunJob, SessionContext } from '../ports/index.ts';
import { toCameText } from './event-waits.ts';
import { showSystemEvents } from './session.ts';

/** @param session null: without a past. @param most characters that are shown of each text from outside. Default: all */
export function buildPrompt(
  run: RunJob,
  session: SessionContext | null,
  event: ResumingEvent | null = null,
  most?: number,
): string {
  const { trust, name } = run;
  return renderPrompt({
    task: run.task,
    instructions: run.instructions,
    waiting: showSystemEvents(session?.pending ?? [], most),
    isUntrusted: trust.level === 'untrusted',
    isRequest: trust.mapping === undefined,
    isSent: run.deliver !== null,
    ...(event !== null && { came: { ...toCameText(event), most } }),
    message: {
      source: run.source,
      hook: run.hook,
      ...(name !== DEFAULT_HOOK_NAME && { name }),
      verifiedBy: sendersOf(run).join(', '),
      content: run.message,
      most,
      receivedAt: run.receivedAt,
    },
  });
}

function sendersOf({ trust, collected = [] }: RunJob): readonly string[] {
  const senders = new Set(collected.map((event) => event.trust.verifiedBy));
  return senders.size === 0 ? [trust.verifiedBy] : [...senders];
}
