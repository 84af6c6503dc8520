import { SECURITY_NOTICE, fence } from './fence.ts';

/** A line that waits in a main session. */
export interface ShownEvent {
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly hook: string;
  readonly isUntrusted: boolean;
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

function renderOne(event: ShownEvent, count: number): string {
  const head = `[${new Date(event.at).toISOString()}]${count > 1 ? ` (${count} times)` : ''}`;
  if (!event.isUntrusted) return `${head} ${event.text}`;
  const { hook, verifiedBy, text } = event;
  return `${head}\n${fence({ source: hook, hook, verifiedBy, content: text })}`;
}
