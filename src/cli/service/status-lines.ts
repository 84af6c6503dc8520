import type { ChannelReport } from '../../hooks/index.ts';
import type { AttentionItem, ServiceStatus } from '../../service/index.ts';
import { asLine } from '../foreign-text.ts';
import { placeText, targetAt } from './service-place.ts';
import type { ServicePlace } from './service-place.ts';
import { tableLines } from '../terminal.ts';
import { INDENT, age, duration, fieldLines, localTime, section } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';

/** What a script should be told of: something is lost, refused or does not work. */
export function needsPerson({ attention }: Pick<ServiceStatus, 'attention'>): boolean {
  return attention.some(({ severity }) => severity !== 'info');
}

export function remedyOf({ command, todo }: Pick<AttentionItem, 'command' | 'todo'>): string {
  return command ?? todo;
}

/** Since when, and when it is tried again, by the clock of whoever looks. */
function timesOf(
  { since, next = null }: { since: string | null; next?: string | null },
  now: number,
) {
  const times = [
    ...(since === null ? [] : [`since ${localTime(since, now)}`]),
    ...(next === null ? [] : [`next try ${localTime(next, now)}`]),
  ];
  return times.length === 0 ? '' : ` (${times.join(', ')})`;
}

interface StatusLook {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly columns: number;
  readonly paint: Paint;
  /** Our words with commands as they are typed here. */
  readonly typed: (text: string) => string;
}

/** The whole screen. @param at where the operator API was asked, and the console is */
export function statusLines(
  status: ServiceStatus,
  at: ServicePlace,
  { now, columns, paint, typed }: StatusLook,
): string[] {
  const { version, node, startedAt, channels, mail, work, attention } = status;
  const up = duration(now - Date.parse(startedAt));
  const facts = {
    intake: intake(status),
    running: work === null ? 'unknown' : counted(work.filter(({ state }) => state === 'running')),
    waiting: work === null ? 'unknown' : counted(work.filter(({ state }) => state === 'waiting')),
    ...(mail !== null && { mail: `${mail.state}, ${mail.account}` }),
    console: consoleText(at),
    started: `${localTime(startedAt, now)}, ${up} ago`,
    versions: `${asLine(version)}, Node ${asLine(node)}`,
  };
  const channelLines =
    channels.length === 0 ? [] : tableLines(channelTable(channels, now), columns - 2);
  const lines = ({ what, ...item }: AttentionItem) => [
    `${asLine(what)}${timesOf(item, now)}`,
    ...item.parts.map((part) => `${INDENT}${asLine(part.what)}${timesOf(part, now)}`),
    paint('dim', `→ ${typed(asLine(remedyOf(item)))}`),
  ];
  const needs = attention.filter(({ severity }) => severity !== 'info');
  const worthKnowing = attention.filter(({ severity }) => severity === 'info');
  return [
    `${paint('bold', `Service at ${placeText(at)}`)} ${verdict(status, paint)}`,
    ...fieldLines(facts).map((line) => `  ${line}`),
    ...section('Channels', channelLines, paint),
    ...section('Needs you', needs.flatMap(lines), paint),
    ...section('Good to know', worthKnowing.flatMap(lines), paint),
  ];
}

function consoleText({ url, socketPath }: ServicePlace): string {
  if (socketPath === undefined) return targetAt({ url }, '/console');
  return `http://localhost:18791/console, after: ssh -L 18791:${asLine(socketPath)} <this machine>`;
}

function verdict(status: ServiceStatus, paint: Paint): string {
  if (!status.ready) return paint('red', 'broken');
  if (status.paused) return paint('yellow', 'paused');
  return needsPerson(status) ? paint('yellow', 'needs you') : paint('green', 'fine');
}

function intake({ ready, paused }: ServiceStatus): string {
  if (!ready) return 'hooks answer 503: events cannot be stored';
  return paused ? 'hooks answer 503: paused' : 'hooks take requests';
}

const PLURALS = { run: 'runs', heartbeat: 'heartbeats', delivery: 'deliveries', notice: 'notices' };

/** `2 runs; for later: 1 heartbeat`. What is not due yet waits for its time, and for nothing else. */
function counted(counts: NonNullable<ServiceStatus['work']>): string {
  const isLater = ({ state, oldestDueAt }: (typeof counts)[number]) =>
    state === 'waiting' && oldestDueAt === undefined;
  const list = (some: typeof counts) =>
    some.map(({ kind, count }) => `${count} ${count === 1 ? kind : PLURALS[kind]}`).join(', ');
  const now = list(counts.filter((one) => !isLater(one))) || 'nothing';
  const later = list(counts.filter(isLater));
  return later === '' ? now : `${now}; for later: ${later}`;
}

/* What a platform answered is foreign text and is made harmless. */

/** Rows of `hooks channels list`, head first. */
export function channelTable(channels: readonly ChannelReport[], now: number): string[][] {
  const rows = channels.map((channel) => [
    channel.id,
    asLine(channel.provider),
    channelState(channel, now),
    channel.lastSuccessAt === null ? 'never' : `${age(channel.lastSuccessAt, now)} ago`,
    lastError(channel, now),
  ]);
  return [['CHANNEL', 'PROVIDER', 'STATE', 'LAST MESSAGE', 'LAST ERROR'], ...rows];
}

/** One word, and for how long where a platform asked for a rest. */
function channelState({ state, pausedUntil }: ChannelReport, now: number): string {
  if (pausedUntil === null) return state;
  return `${state} ${Math.max(0, Math.ceil((Date.parse(pausedUntil) - now) / 1000))}s`;
}

function lastError({ lastError: error }: ChannelReport, now: number): string {
  return error === null ? '-' : `${age(error.at, now)} ago: ${asLine(error.message)}`;
}
