import type { ServiceStatus } from '../../service/index.ts';
import { channelTable } from '../channels/channel-lines.ts';
import { asLine } from '../foreign-text.ts';
import { tableLines } from '../terminal.ts';
import { duration, fieldLines, localTime, section } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';

/*
 * The state of a service on one screen: what it does at the moment, and below it what only a person can mend.
 */

/** Something that does not mend itself, and what to type or look at. */
export interface Need {
  readonly what: string;
  readonly todo: string;
}

/** What needs a person, the worst first. */
export function needsOf({ ready, paused, work, lost, channels, mail }: ServiceStatus): Need[] {
  const dead = (work ?? []).filter(({ state }) => state === 'dead');
  const failing = channels.filter(({ state }) => state === 'failing');
  return [
    ...(ready
      ? []
      : [{ what: 'events cannot be stored', todo: 'look at the log, and at the disk' }]),
    ...(paused ? [{ what: 'the service is paused', todo: 'hooks resume' }] : []),
    ...(lost ?? []).map(({ what, todo }) => ({ what: asLine(what), todo: asLine(todo) })),
    ...failing.map(({ id, lastError }) => ({
      what: `${id} fails: ${asLine(lastError?.message ?? 'nobody knows why')}`,
      todo: `hooks channels test ${id}`,
    })),
    ...(mail?.isDegraded === true
      ? [{ what: `mail is ${asLine(mail.state)}`, todo: asLine(mail.hint ?? 'hooks doctor') }]
      : []),
    ...(dead.length === 0
      ? []
      : [
          {
            what: `given up: ${counted(dead)}`,
            todo: 'hooks events retry --all, or dismiss --all',
          },
        ]),
  ];
}

/** The whole screen. @param url where the service was asked. */
export function statusLines(
  status: ServiceStatus,
  url: URL,
  { now, columns, paint }: { now: number; columns: number; paint: Paint },
): string[] {
  const { version, node, startedAt, channels, mail, work } = status;
  const up = duration(now - Date.parse(startedAt));
  const needs = needsOf(status);
  const facts = {
    intake: intake(status),
    running: work === null ? 'unknown' : counted(work.filter(({ state }) => state === 'running')),
    waiting: work === null ? 'unknown' : counted(work.filter(({ state }) => state === 'waiting')),
    ...(mail !== null && { mail: `${mail.state}, ${mail.account}` }),
    started: `${localTime(startedAt, now)}, ${up} ago`,
    versions: `${asLine(version)}, Node ${asLine(node)}`,
  };
  const channelLines =
    channels.length === 0 ? [] : tableLines(channelTable(channels, now), columns - 2);
  const needLines = needs.flatMap(({ what, todo }) => [what, paint('dim', `→ ${todo}`)]);
  return [
    `${paint('bold', `Service at ${url.origin}`)} ${verdict(status, needs, paint)}`,
    ...fieldLines(facts).map((line) => `  ${line}`),
    ...section('Channels', channelLines, paint),
    ...section('Needs you', needLines, paint),
  ];
}

function verdict({ ready, paused }: ServiceStatus, needs: readonly Need[], paint: Paint): string {
  if (!ready) return paint('red', 'broken');
  if (paused) return paint('yellow', 'paused');
  return needs.length === 0 ? paint('green', 'fine') : paint('yellow', 'needs you');
}

function intake({ ready, paused }: ServiceStatus): string {
  if (!ready) return 'hooks answer 503: events cannot be stored';
  return paused ? 'hooks answer 503: paused' : 'hooks take requests';
}

const PLURALS = { run: 'runs', heartbeat: 'heartbeats', delivery: 'deliveries', notice: 'notices' };

/** `2 runs, 1 delivery`. */
function counted(counts: NonNullable<ServiceStatus['work']>): string {
  const parts = counts.map(({ kind, count }) => `${count} ${count === 1 ? kind : PLURALS[kind]}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
