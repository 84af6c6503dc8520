import { Inject, Injectable } from '@nestjs/common';
import {
  Clock,
  ExternalServices,
  HooksSettings,
  LedgerAdmin,
  Refusals,
} from '../../hooks/index.ts';
import type { ChannelReport, DeadWork, LostRequests, Problem } from '../../hooks/index.ts';
import { shorten } from '../../platform/shorten.ts';
import { PACKAGES_KEY } from '../configuration/packages.ts';
import { ServiceCondition, degradationsOf } from './condition.ts';
import { diskRoom } from './disk-room.ts';
import type { AttentionItem } from './status-answers.ts';
import type { AwayBackend, Condition } from './condition.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { ConfigurationState, OpsModuleOptions } from './ops-options.ts';
import { failedLately, lostAndWhy, timeOfDay } from './controllers/refusals.controller.ts';

// What needs a person: composed here once, for the console, the operator API and `hooks status`. Whether something is
// wrong is decided by whoever knows (the ledger, a channel, the mail watcher); this is what is said of it, and in which
// order.

/** Of hooks in one trouble, more are not listed one by one. */
const MOST_HOOKS = 20;
const LONGEST_REASON = 200;
/** A request may name a provider that nobody configured. */
const LONGEST_NAME = 80;

/** Codes of verified requests that failed because of what the operator wrote. */
const BROKEN_MAPPING: ReadonlySet<string> = new Set([
  'transform_failed',
  'transform_timeout',
  'mapping_failed',
]);

/** What whoever asks may know already. */
interface KnownState {
  readonly condition: Condition;
  readonly channels: readonly ChannelReport[];
}

/** Lists what needs a person, the worst first. */
@Injectable()
export class Attention {
  constructor(
    private readonly condition: ServiceCondition,
    private readonly admin: LedgerAdmin,
    private readonly refusals: Refusals,
    private readonly services: ExternalServices,
    private readonly clock: Clock,
    private readonly settings: HooksSettings,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /** @param known how the service and its channels are doing, where that was asked already. Never rejects. */
  async items(known?: KnownState): Promise<AttentionItem[]> {
    const [condition, failed, dead, channels] = await Promise.all([
      known?.condition ?? this.condition.look(),
      failedLately(this.refusals, this.clock).catch(() => []),
      this.admin.dead().catch(() => []),
      known?.channels ?? this.services.channels(),
    ]);
    const configuration = this.options.configuration?.();
    const items = [
      ...ofService(condition),
      ...ofFiles(configuration?.refused ?? []),
      ...ofPackages(configuration?.missing ?? null),
      ...condition.backends.slice(0, MOST_HOOKS).map(ofBackend),
      ...ofLost(condition.lost ?? []),
      ...failed
        .filter(({ code }) => BROKEN_MAPPING.has(code))
        .slice(0, MOST_HOOKS)
        .map(ofBroken),
      ...channels.filter(({ state }) => state === 'failing').map(ofFailing),
      ...ofMail(condition),
      ...[...Map.groupBy(dead, ({ hook }) => hook).values()].slice(0, MOST_HOOKS).map(ofDead),
      ...channels.filter(({ state }) => state === 'paused').map(ofResting),
      ...ofStart(configuration),
    ];
    const { hasCommand } = this.settings.names;
    return items
      .map((one) => (hasCommand ? one : { ...one, command: null }))
      .toSorted((a, b) => HARM.indexOf(a.severity) - HARM.indexOf(b.severity));
  }
}

/** The worst first. */
const HARM: readonly AttentionItem['severity'][] = ['error', 'warning', 'info'];

type Given = Pick<AttentionItem, 'kind' | 'severity' | 'what' | 'todo'> & Partial<AttentionItem>;

function item(given: Given): AttentionItem {
  return {
    command: null,
    since: null,
    count: null,
    hook: null,
    channel: null,
    actions: [],
    ...given,
  };
}

/** The ledger, its disk, and the operator's own pause. */
function ofService(condition: Condition): AttentionItem[] {
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
        actions: [{ label: 'Resume', path: '/ops/api/resume' }],
      }),
    );
  }
  return items;
}

function ofFiles(refused: ConfigurationState['refused']): AttentionItem[] {
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

function ofPackages(missing: ConfigurationState['missing']): AttentionItem[] {
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

function ofLost(lost: readonly LostRequests[]): AttentionItem[] {
  return lostAndWhy(lost.slice(0, MOST_HOOKS)).map(({ what, todo, hook, count, since }) =>
    item({
      kind: 'requests-lost',
      // One stray path is no reason to look away from what stands still.
      severity: hook === null ? 'warning' : 'error',
      what,
      todo,
      hook,
      count,
      since,
    }),
  );
}

function ofBroken({ hook, code, count, since }: LostRequests): AttentionItem {
  const requests = count === 1 ? '1 request' : `${count} requests`;
  return item({
    kind: 'mapping-failing',
    severity: 'error',
    what: `${requests} to ${hook} failed since ${timeOfDay(since)} (${code})`,
    todo: 'the failed events say why; fix the mapping or its transform, then replay them',
    command: `hooks events list --status failed --hook ${quoted(hook ?? '')}`,
    hook,
    count,
    since,
  });
}

function ofFailing({ id, lastError }: ChannelReport): AttentionItem {
  const reason = shorten(lastError?.message ?? 'no reason was given', LONGEST_REASON);
  return item({
    kind: 'channel-failing',
    severity: 'warning',
    what: `${id} fails: ${reason}`,
    todo: 'fix the cause, then send a test message',
    ...ofChannel(id, lastError),
  });
}

/** It goes on by itself. */
function ofResting({ id, lastError, pausedUntil }: ChannelReport): AttentionItem {
  const until = pausedUntil === null ? 'for a moment' : `until ${timeOfDay(pausedUntil)}`;
  return item({
    kind: 'channel-paused',
    severity: 'info',
    what: `${id} is paused ${until}: its platform limits how many messages it takes`,
    todo: 'it resumes by itself',
    ...ofChannel(id, lastError),
  });
}

/** A single failure may be over in a moment; a minute of them is not. */
function ofBackend({
  backend,
  since,
  until,
  reason,
  isNew,
  behind: count,
}: AwayBackend): AttentionItem {
  const next =
    until === null
      ? 'being retried now'
      : `next attempt at ${timeOfDay(new Date(until).toISOString())}`;
  return item({
    kind: 'backend-resting',
    severity: isNew ? 'info' : 'warning',
    what: `${shorten(backend, LONGEST_NAME)} is unavailable (${next}${count === 0 ? '' : `, ${count} waiting`}): ${shorten(reason, LONGEST_REASON)}`,
    todo: 'its runs wait and resume by themselves; if it stays unavailable, look for the cause',
    command: 'hooks doctor',
    since: new Date(since).toISOString(),
    count,
    actions: [{ label: 'Try now', path: '/ops/api/backends/try' }],
  });
}

function ofChannel(id: string, lastError: ChannelReport['lastError']) {
  return {
    command: `hooks channels test ${id}`,
    since: lastError?.at ?? null,
    channel: id,
    actions: [{ label: 'Send a test message', path: `/ops/api/channels/${id}/test` }],
  };
}

function ofMail(condition: Condition): AttentionItem[] {
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

/** @param ofHook all that is dead of one hook, one entry for runs and one for deliveries. */
function ofDead(ofHook: readonly DeadWork[]): AttentionItem {
  const hook = ofHook[0]?.hook ?? null;
  const kinds = ofHook.map(({ kind, count }) => `${count} ${count === 1 ? kind : PLURALS[kind]}`);
  const count = ofHook.reduce((sum, one) => sum + one.count, 0);
  const [query, option] =
    hook === null
      ? ['?heartbeats=true', ' --heartbeats']
      : [`?hook=${encodeURIComponent(hook)}`, ` --hook ${quoted(hook)}`];
  return item({
    kind: 'dead-work',
    severity: 'warning',
    what: `${kinds.join(' and ')} of ${hook ?? 'heartbeats'} ${count === 1 ? 'was' : 'were'} given up`,
    todo: 'retry what is still wanted, and dismiss the rest',
    command: `hooks events retry --all${option}`,
    since: new Date(Math.min(...ofHook.map(({ since }) => since))).toISOString(),
    count,
    hook,
    actions: [
      { label: 'Retry all', path: `/ops/api/events/retry${query}` },
      { label: 'Dismiss all', path: `/ops/api/events/dismiss${query}` },
    ],
  });
}

const PLURALS = { run: 'runs', delivery: 'deliveries' };

/** What only another start changes, and what may stay as it is. */
function ofStart(configuration: ConfigurationState | undefined): AttentionItem[] {
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
          todo: "name a model in gateway.json5 (agents.defaults.model), or keep the demo agent (agents.defaults.runner: {type: 'demo'}), then restart",
        }
      : {
          what: 'nothing is configured yet: the demo agent answers, and no model is asked',
          todo: 'write a gateway.json5 (gateway.example.json5 shows one), then restart',
        }),
  });
  return [...(restartFor.length > 0 ? [waits] : []), ...looks, ...(isDemo ? [demo] : [])];
}

/** As a word for a shell. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
