import type { Api } from '../../api/client.ts';
import { duration } from '../../ui/time.tsx';

// Where the time of an event went: waiting apart from work, a bar for each run and each delivery.

type Story = Api<'EventDetails'>;

interface Span {
  readonly kind: 'work' | 'waiting';
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
}

interface Row {
  readonly name: string;
  readonly spans: readonly Span[];
}

/** What becomes of an attempt: when it ended, and when the next may begin. */
type Attempt = Story['deliveries'][number]['attempts'][number];

export function Waterfall({ story }: { story: Story }) {
  const received = Date.parse(story.receivedAt);
  const rows = rowsOf(story, received, Date.now());
  const end = Math.max(received + 1, ...rows.flatMap(({ spans }) => spans.map(({ to }) => to)));
  const percent = (ms: number) => `${(100 * ms) / (end - received)}%`;
  if (rows.length === 0) return null;
  return (
    <section class="card waterfall" aria-label="Where the time went">
      {rows.map(({ name, spans }, index) => {
        const told = (['waiting', 'work'] as const)
          .filter((kind) => sum(spans, kind) > 0)
          .map((kind) => `${duration(sum(spans, kind))} ${kind}`)
          .join(', ');
        return (
          <div key={index}>
            <span>{name}</span>
            <div class="track" role="img" aria-label={`${name}: ${told}`}>
              {spans.map(({ kind, from, to }) => (
                <div
                  key={from}
                  class={kind}
                  style={{ left: percent(from - received), width: percent(to - from) }}
                />
              ))}
            </div>
            <span class="faint">{told}</span>
          </div>
        );
      })}
    </section>
  );
}

function rowsOf({ runs, deliveries }: Story, received: number, now: number): Row[] {
  const direct = deliveries.filter(({ runId }) => runId === null);
  const ofRuns = runs.flatMap((run) => {
    const { id, agentId, startedAt, finishedAt, notes, status } = run;
    const end = timeOf(finishedAt) ?? now;
    const began = timeOf(startedAt) ?? end;
    const tried = attempts(notes, began, end, status === 'queued');
    return [
      { name: `Run of ${agentId}`, spans: spans(['waiting', received, began], ...tried) },
      ...deliveries
        .filter(({ runId }) => runId === id)
        .map((delivery) => toRow(delivery, end, now)),
    ];
  });
  return [...ofRuns, ...direct.map((delivery) => toRow(delivery, received, now))];
}

/** @param began when it was put on its way */
function toRow(
  { channel, status, attempts: tried }: Story['deliveries'][number],
  began: number,
  now: number,
): Row {
  const isPending = status === 'pending';
  const last = timeOf(tried.at(-1)?.at ?? null);
  const until = isPending ? now : (last ?? began);
  return {
    name: channel === 'handler' ? 'Handler' : `To ${channel}`,
    spans: spans(...attempts(tried, began, until, isPending)),
  };
}

type Part = readonly [kind: Span['kind'], from: number, to: number];

/** Each attempt is work until it ended, and what is between it and the next is waiting. */
function attempts(notes: readonly Attempt[], began: number, end: number, isWaiting: boolean) {
  const parts: Part[] = [];
  let from = began;
  for (const { at, nextAt } of notes) {
    const ended = Date.parse(at);
    const next = Math.min(timeOf(nextAt ?? null) ?? end, end);
    parts.push(['work', from, ended], ['waiting', ended, next]);
    from = next;
  }
  return [...parts, [isWaiting ? 'waiting' : 'work', from, end] as const];
}

function spans(...parts: readonly Part[]): Span[] {
  return parts.filter(([, from, to]) => to > from).map(([kind, from, to]) => ({ kind, from, to }));
}

function sum(all: readonly Span[], kind: Span['kind']): number {
  return all
    .filter((span) => span.kind === kind)
    .reduce((total, { from, to }) => total + to - from, 0);
}

function timeOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}
