import type {
  ChannelReport,
  DeadWork,
  LostRequests,
  Problem,
  WaitPage,
  WaitingWork,
} from '../../hooks/index.ts';
import { shorten } from '../../platform/shorten.ts';
import { PACKAGES_KEY } from '../configuration/packages.ts';
import { degradationsOf } from './condition.ts';
import type { AwayBackend, Condition } from './condition.ts';
import { lostAndWhy } from './controllers/refusals.controller.ts';
import { diskRoom } from './disk-room.ts';
import type { ConfigurationState } from './ops-options.ts';
import type { AttentionAction, AttentionItem } from './status-answers.ts';

/** Of hooks in one trouble, more are not listed one by one. */
export const MOST_HOOKS = 20;
const LONGEST_REASON = 200;
/** A request may name a provider that nobody configured. */
const LONGEST_NAME = 80;

type Given = Pick<AttentionItem, 'kind' | 'severity' | 'what' | 'todo'> & Partial<AttentionItem>;

function item(given: Given): AttentionItem {
  return {
    command: null,
    since: null,
    next: null,
    count: null,
    parts: [],
    hook: null,
    channel: null,
    actions: [],
    ...given,
  };
}

export function ofService(condition: Condition): AttentionItem[] {
  const { ready, paused, store } = condition;
  const items: AttentionItem[] = [];
  if (!ready) {
    items.push(
      item({
        kind: 'store-unavailable',
        severity: 'error',
        what: 'events cannot be stored',
        todo: 'look at the log, and at the disk',
      }),
    );
  }
  if (degradationsOf(condition).some(({ part }) => part === 'ledger')) {
    items.push(
      item({
        kind: 'ledger-damaged',
        severity: 'error',
        what: 'the ledger is damaged, and what is stored in it may be lost',
        todo: 'the log says what is damaged and how to put a backup in its place',
      }),
    );
  }
  const { lack } = diskRoom(store?.freeBytes ?? Infinity);
  if (lack !== undefined) items.push(item({ kind: 'disk-nearly-full', ...lack }));
  if (paused) {
    items.push(
      item({
        kind: 'paused',
        severity: 'error',
        what: 'the service is paused',
        todo: 'resume it',
        command: 'hooks resume',
        actions: [button('Resume', '/ops/api/resume')],
      }),
    );
  }
  return items;
}

export function ofFiles(refused: ConfigurationState['refused']): AttentionItem[] {
  const [first] = refused;
  if (first === undefined) return [];
  const more = refused.length === 1 ? '' : `, and ${refused.length - 1} more`;
  return [
    item({
      kind: 'configuration-refused',
      severity: 'error',
      what: `the changed configuration was refused, and the one before stays in force: ${problemText(first)}${more}`,
      todo: 'correct that key; hooks config check says all that is wrong',
      command: 'hooks config check',
      count: refused.length,
    }),
  ];
}

/** As a start, `hooks config check` and `hooks doctor` say it. */
function problemText({ key, message }: Problem): string {
  return shorten(`${key} ${message}`, LONGEST_REASON);
}

export function ofPackages(missing: ConfigurationState['missing']): AttentionItem[] {
  if (missing === null) return [];
  const { what, command } = missing;
  return [
    item({
      kind: 'packages-missing',
      severity: 'error',
      what: `packages are ${what}`,
      todo: 'install them beside the service, which takes them in by itself',
      command,
    }),
  ];
}

export function ofLost(lost: readonly LostRequests[]): AttentionItem[] {
  const [first, ...more] = lostAndWhy(lost.slice(0, MOST_HOOKS));
  if (first === undefined) return [];
  const { count, since } = totalOf(lost);
  const { what, todo, hook } =
    more.length === 0
      ? first
      : {
          what: `${count} requests were refused in the last hour`,
          todo: 'each says what to do about it',
          hook: null,
        };
  return [
    item({
      kind: 'requests-lost',
      // One stray path is no reason to look away from what stands still.
      severity: lost.some((one) => one.hook !== null) ? 'error' : 'warning',
      what,
      todo,
      hook,
      count,
      since,
      parts: more.length === 0 ? [] : [first, ...more],
    }),
  ];
}

function totalOf(all: readonly { count: number; since: string }[]) {
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    since: all.map(({ since }) => since).toSorted()[0] ?? null,
  };
}

export function ofBroken({ hook, code, count, since }: LostRequests): AttentionItem {
  const requests = count === 1 ? '1 request' : `${count} requests`;
  return item({
    kind: 'mapping-failing',
    severity: 'error',
    what: `${requests} to ${hook} failed (${code})`,
    todo: 'the failed events say why; fix the mapping or its transform, then replay them',
    command: `hooks events list --status failed --hook ${quoted(hook ?? '')}`,
    hook,
    count,
    since,
  });
}

/** @param waiting deliveries that will be tried again @param dead of all hooks and channels */
export function ofFailing(
  { id, lastError }: ChannelReport,
  waiting: number,
  dead: readonly DeadWork[],
): AttentionItem {
  const given = dead.filter(({ channel }) => channel === id);
  const count = given.reduce((sum, one) => sum + one.count, waiting);
  const reason = shorten(lastError?.message ?? 'no reason was given', LONGEST_REASON);
  return item({
    kind: 'channel-failing',
    severity: 'warning',
    what: `${id} fails${behindIt(count)}: ${reason}`,
    todo:
      count === 0
        ? 'fix the cause, then send a test message'
        : 'fix the cause, then retry all that is behind it',
    command: count === 0 ? `hooks channels test ${id}` : `hooks events retry --all --channel ${id}`,
    since: lastError?.since ?? null,
    count,
    channel: id,
    actions: [
      ...(count === 0 ? [] : [button('Retry all', `/ops/api/events/retry?channel=${id}`)]),
      testOf(id),
    ],
  });
}

/** It goes on by itself. */
export function ofResting({ id, lastError, pausedUntil }: ChannelReport): AttentionItem {
  return item({
    kind: 'channel-paused',
    severity: 'info',
    what: `${id} is paused: its platform limits how many messages it takes`,
    todo: 'it resumes by itself',
    since: lastError?.since ?? null,
    next: pausedUntil,
    channel: id,
    actions: [testOf(id)],
  });
}

/** A single failure may be over in a moment; a minute of them is not. */
export function ofBackend({
  backend,
  since,
  until,
  reason,
  isNew,
  behind: count,
}: AwayBackend): AttentionItem {
  const isBeingTried = until === null ? ', and being tried now' : '';
  return item({
    kind: 'backend-resting',
    severity: isNew ? 'info' : count === 0 ? 'warning' : 'error',
    what: `${shorten(backend, LONGEST_NAME)} is unavailable${isBeingTried}${behindIt(count)}: ${shorten(reason, LONGEST_REASON)}`,
    todo: 'its runs wait and resume by themselves; if it stays unavailable, run hooks doctor',
    command: 'hooks doctor',
    since: new Date(since).toISOString(),
    next: until === null ? null : new Date(until).toISOString(),
    count,
    actions: [button('Try now', '/ops/api/backends/try')],
  });
}

function behindIt(count: number): string {
  return count === 0 ? '' : `, ${count} behind it`;
}

function testOf(channel: string): AttentionAction {
  return button('Send a test message', `/ops/api/channels/${channel}/test`);
}

function button(label: string, path: string, isFinal = false): AttentionAction {
  return { label, path, isFinal };
}

export function ofMail(condition: Condition): AttentionItem[] {
  const { mail } = condition;
  if (mail === null || !degradationsOf(condition).some(({ part }) => part === 'mail')) return [];
  const [first] = mail.mailboxes.map(({ since }) => since).toSorted();
  return [
    item({
      kind: 'mail-degraded',
      severity: 'warning',
      what: `mail of ${mail.account} does not arrive: ${mail.state}`,
      todo: mail.hint ?? 'hooks doctor tries the login',
      command: mail.hint === null ? 'hooks doctor' : null,
      since: first ?? null,
    }),
  ];
}

/** Runs that are held since our own replies caused them, by their hook. */
export function ofLoops(waiting: readonly WaitingWork[]): AttentionItem[] {
  const loops = waiting.filter(({ cause }) => cause === 'loop');
  return loops.slice(0, MOST_HOOKS).map(({ hook, count, since }) =>
    item({
      kind: 'loop-held',
      severity: 'warning',
      what: `our own replies come back as events of ${hook}, and ${count === 1 ? 'a run is' : `${count} runs are`} held`,
      todo: 'end what sends them back, then approve or deny',
      command: 'hooks decisions',
      since: new Date(since).toISOString(),
      count,
      hook,
    }),
  );
}

/** One item for all of them. */
export function ofWaits({ waits: [first], total }: WaitPage): AttentionItem[] {
  if (first === undefined) return [];
  return [
    item({
      kind: 'decisions-open',
      severity: 'warning',
      what: total === 1 ? 'a run waits for a decision' : `${total} runs wait for a decision`,
      todo: 'approve or deny what would happen',
      command: 'hooks decisions',
      since: first.openedAt,
      count: total,
    }),
  ];
}

export function ofDead(dead: readonly DeadWork[]): AttentionItem[] {
  const alike = Map.groupBy(dead, ({ hook, channel }) => channel ?? hook);
  return [...alike].slice(0, MOST_HOOKS).map(([name, all]) => {
    const { kind, channel, hook } = all[0]!;
    const count = all.reduce((sum, one) => sum + one.count, 0);
    const scope = channel === null ? 'hook' : 'channel';
    const query = `?${scope}=${encodeURIComponent(name ?? '')}`;
    const what = `${count} ${count === 1 ? kind : PLURALS[kind]} ${kind === 'run' ? 'of' : 'to'} ${name}`;
    return item({
      kind: 'dead-work',
      severity: 'warning',
      what: `${what} ${count === 1 ? 'was' : 'were'} given up`,
      todo: 'retry what is still wanted, and dismiss the rest',
      command: `hooks events retry --all --${scope} ${quoted(name ?? '')}`,
      since: new Date(Math.min(...all.map(({ since }) => since))).toISOString(),
      count,
      hook: channel === null ? hook : null,
      channel,
      actions: [
        button('Retry all', `/ops/api/events/retry${query}`),
        button('Dismiss all', `/ops/api/events/dismiss${query}`, true),
      ],
    });
  });
}

const PLURALS = { run: 'runs', delivery: 'deliveries' };

/** What only another start changes, and what may stay as it is. */
export function ofStart(configuration: ConfigurationState | undefined): AttentionItem[] {
  const { restartFor = [], isDemo = false, isConfiguredSince = false } = configuration ?? {};
  const looks = (configuration?.warnings ?? [])
    .filter(({ key }) => key !== PACKAGES_KEY)
    .map((warning) =>
      item({
        kind: 'configuration-warning',
        severity: 'info',
        what: problemText(warning),
        todo: 'change that key, or leave it',
      }),
    );
  const waits = item({
    kind: 'restart-pending',
    severity: 'info',
    what: `only a restart applies the change of ${restartFor.join(', ')}`,
    todo: 'restart the service when it suits',
    count: restartFor.length,
  });
  const demo = item({
    kind: 'demo',
    severity: 'info',
    ...(isConfiguredSince
      ? {
          what: 'until the next start the demo agent answers where no model is named',
          todo: 'let a model answer, or keep the demo agent',
          command: 'hooks setup model',
        }
      : {
          what: 'nothing is configured yet: the demo agent answers, and no model is asked',
          todo: 'connect a model, a channel and a sender',
          command: 'hooks setup',
        }),
  });
  return [...(restartFor.length > 0 ? [waits] : []), ...looks, ...(isDemo ? [demo] : [])];
}

function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
