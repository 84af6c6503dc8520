import { SECURITY_NOTICE, fence } from './fence.ts';

/** What no sender spoke is what an agent made of foreign text: second-hand, and labelled so. */
const SECOND_HAND = 'summary of a run, second-hand';

/** A line that waits in a main session. */
export interface ShownEvent {
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly hook: string;
  readonly isUntrusted: boolean;
  /** `none`: a summary. */
  readonly verifiedBy: string;
}

/** System events as the agent sees them, in order; equal neighbours once, with their count. Empty for none. */
export function renderSystemEvents(events: readonly ShownEvent[]): string {
  if (events.length === 0) return '';
  const blocks = groupNeighbours(events).map(({ event, count }) => renderOne(event, count));
  const notice = events.some(({ isUntrusted }) => isUntrusted) ? [SECURITY_NOTICE] : [];
  return [...notice, 'System events:', ...blocks].join('\n\n');
}

function groupNeighbours(events: readonly ShownEvent[]): { event: ShownEvent; count: number }[] {
  const groups: { event: ShownEvent; count: number }[] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last !== undefined && isSame(last.event, event)) last.count += 1;
    else groups.push({ event, count: 1 });
  }
  return groups;
}

function isSame(a: ShownEvent, b: ShownEvent): boolean {
  return (
    a.text === b.text &&
    a.hook === b.hook &&
    a.isUntrusted === b.isUntrusted &&
    a.verifiedBy === b.verifiedBy
  );
}

function renderOne({ text, at, hook, isUntrusted, verifiedBy }: ShownEvent, times: number): string {
  if (!isUntrusted) {
    return `[${new Date(at).toISOString()}]${times > 1 ? ` (${times} times)` : ''} ${text}`;
  }
  const source = verifiedBy === 'none' ? SECOND_HAND : hook;
  return fence({ source, hook, verifiedBy, content: text, receivedAt: at, times });
}
