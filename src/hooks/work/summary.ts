import { DEFAULT_HOOK_NAME, immediateHeartbeat, mainSession } from '../ports/index.ts';
import type { Change, RunJob, SystemEventChange } from '../ports/index.ts';

/**
 * What the agent's main session is shown of an isolated run or of a reply that could not be delivered: a system event of
 * one line, shown by the next heartbeat.
 */

/** Longest summary, in characters. */
const MAX_LENGTH = 2000;

/** `Hook <name>: <reply>`, or with `(error)`, `(timeout)`, `(delivery)` before the colon. */
export function summaryLine(
  name: string,
  kind: 'reply' | 'error' | 'timeout' | 'delivery',
  text: string,
): string {
  const who = name === DEFAULT_HOOK_NAME ? DEFAULT_HOOK_NAME : `${DEFAULT_HOOK_NAME} ${name}`;
  const what = kind === 'reply' ? '' : ` (${kind})`;
  return cut(`${who}${what}: ${text.trim() === '' ? '(no reply)' : text.trim()}`);
}

/** Never inside a surrogate pair. */
function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}

/** Whose summary it is, and whether a heartbeat shall show it at once. */
type SummarySource = Pick<RunJob, 'agentId' | 'hook' | 'trust'> & {
  readonly eventId?: string;
  readonly wakeMode: RunJob['wakeMode'] | 'none';
};

/** Posts a summary into the main session. Whatever the trust of the hook, what an agent made of foreign text is foreign text. */
export function postSummary(source: SummarySource, text: string, at: number): SystemEventChange {
  const { agentId, hook, eventId } = source;
  return {
    type: 'system-event',
    session: mainSession(agentId),
    text,
    at,
    trust: { ...source.trust, level: 'untrusted', verifiedBy: 'none' },
    hook,
    eventId,
    asksHeartbeat: source.wakeMode === 'now',
  };
}

/** The heartbeat that `wakeMode: now` asks for; none for any other. */
export function askHeartbeat(
  { agentId, wakeMode }: Pick<SummarySource, 'agentId' | 'wakeMode'>,
  at: number,
): readonly Change[] {
  return wakeMode === 'now' ? [{ type: 'work', work: immediateHeartbeat(agentId, at) }] : [];
}
