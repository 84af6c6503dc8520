import { DEFAULT_HOOK_NAME, immediateHeartbeat, mainSession } from '../ports/index.ts';
import type {
  Change,
  RunJob,
  SystemEvent,
  SystemEventChange,
  WaitDecision,
} from '../ports/index.ts';

/* What the main session is shown of a run or an undelivered reply: a line, shown by the next heartbeat. */

/** Longest summary, in characters. */
const MAX_LENGTH = 2000;

/** `Hook <name>: <reply>`, or with `(error)`, `(timeout)`, `(denied)`, `(delivery)` before the colon. */
export function summaryLine(
  name: string,
  kind: 'reply' | 'error' | 'timeout' | 'denied' | 'delivery',
  text: string,
): string {
  const who = name === DEFAULT_HOOK_NAME ? DEFAULT_HOOK_NAME : `${DEFAULT_HOOK_NAME} ${name}`;
  const what = kind === 'reply' ? '' : ` (${kind})`;
  return cut(`${who}${what}: ${text.trim() === '' ? '(no reply)' : text.trim()}`);
}

export function whoDenied({ by, reason }: WaitDecision): string {
  return `denied by ${by ?? 'nobody'}${reason === null ? '' : `: ${reason}`}`;
}

/** Never inside a surrogate pair. @param length with the ellipsis, in UTF-16 code units. */
function cut(text: string, length = MAX_LENGTH): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}

/** How much of a reply is shown that its recipient has, in characters. */
const MAX_SENT = 200;

/** A summary as it is shown when its reply has arrived: enough to know which one it was. */
export function shortSummary(text: string): string {
  return cut(text, text.indexOf(': ') + 2 + MAX_SENT);
}

export function deliveryNote({
  status,
  channel,
  error,
}: NonNullable<SystemEvent['delivery']>): string {
  switch (status) {
    case 'delivered':
    case 'accepted':
      return `Already sent to ${channel}:`;
    case 'pending':
      return `Being sent to ${channel}:`;
    default:
      return `Not delivered: ${error ?? status}`;
  }
}

type SummarySource = Pick<RunJob, 'agentId' | 'hook' | 'trust'> & {
  readonly eventId?: string;
  readonly wakeMode: RunJob['wakeMode'] | 'none';
  readonly deliveryId?: string;
};

/** Posts a summary into the main session. Whatever the trust of the hook, what an agent made of foreign text is foreign text. */
export function postSummary(source: SummarySource, text: string, at: number): SystemEventChange {
  const { agentId, hook, eventId, deliveryId } = source;
  return {
    type: 'system-event',
    session: mainSession(agentId),
    text,
    at,
    trust: { ...source.trust, level: 'untrusted', verifiedBy: 'none' },
    hook,
    eventId,
    asksHeartbeat: source.wakeMode === 'now',
    ...(deliveryId !== undefined && { deliveryId }),
  };
}

/** The heartbeat that `wakeMode: now` asks for; none for any other. @param dueAt epoch milliseconds; by default at once. */
export function askHeartbeat(
  { agentId, wakeMode }: Pick<SummarySource, 'agentId' | 'wakeMode'>,
  at: number,
  dueAt?: number,
): readonly Change[] {
  return wakeMode === 'now' ? [{ type: 'work', work: immediateHeartbeat(agentId, at, dueAt) }] : [];
}
