import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../platform/new-id.ts';
import { HooksSettings } from '../options/index.ts';
import { AgentDirectory, Clock, WorkLedger, deliveryWork } from '../ports/index.ts';
import type {
  BadEnds,
  Change,
  ChannelId,
  DeliveryJob,
  NewWork,
  NoticeLease,
  Trust,
} from '../ports/index.ts';
import { asLogged, inBrief } from './backend-health.ts';
import { ChannelRegistry } from './channels.ts';
import type { Step, StepResult } from './step.ts';
import type { FailedTurn, FinishedTurn } from './turn.ts';

/*
 * Telling the operator what ended badly (behaviour.md §5). Whatever ends badly writes a line in the commit of its end, and
 * one piece of work for all of them: the notice. A little later the notice makes one message of what is there by then and
 * hands it to a delivery, in one commit; then it waits for a minute, so that more of them never come. Lines are made of
 * our own words and of names of the configuration, never of anything that a sender or an agent wrote.
 */

/** What ends within this time is one message. */
const GATHER_MS = 5000;
/** From one notice to the next. */
const PAUSE_MS = 60_000;
/** Different lines in one message. */
const MOST_LINES = 5;

/** Why a turn ended badly, in words that hold nothing of what it read or said. */
export function whyItEnded(
  result: Exclude<FinishedTurn, { outcome: 'replied' }>,
  retryFor: string,
): string {
  if (result.outcome !== 'failed') return result.error;
  const { kind, backend, error } = result;
  const why = inBrief(error);
  switch (kind) {
    case 'unreachable':
      return `${backend} could not be reached for ${retryFor}${why}`;
    case 'rate-limited':
      return `${backend} took no more requests for ${retryFor}${why}`;
    case 'needs-operator':
      return `${backend} refuses until somebody mends it${why}`;
    case 'retryable':
      return `it failed again and again for ${retryFor}${why}`;
    case 'permanent':
      return `it failed${why}`;
  }
}

/** For the log: why a turn is tried again, in the same words for all that have the same cause. */
export function whyItWaits({ kind, backend, waitsFor = backend, error }: FailedTurn): string {
  return `${asLogged(waitsFor)}${inBrief(error)} (${kind})`;
}

/** Where the operator is told. */
interface Address {
  readonly channel: ChannelId;
  readonly to: string;
}

/** Notes what ended badly without a person having heard of it, and tells it. */
@Injectable()
export class Notices implements Step<NoticeLease> {
  readonly #logger = new Logger(Notices.name);

  constructor(
    private readonly ledger: WorkLedger,
    private readonly channels: ChannelRegistry,
    private readonly directory: AgentDirectory,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** What the end of a step writes when it was a bad one. @param line see above. @param count how many ended so */
  report(line: string, eventId: string | null, count = 1): readonly Change[] {
    if (this.#address() === null) return [];
    const work: NewWork = {
      lane: 'delivery',
      key: 'notice',
      kind: 'notice',
      dueAt: this.clock.now() + GATHER_MS,
      once: true,
      job: { v: 1 },
    };
    return [
      { type: 'bad-end', line, eventId, ...(count > 1 && { count }) },
      { type: 'work', work },
    ];
  }

  /** Puts a question to the operator, in whose words what is foreign is shown as such. */
  ask(question: string, level: Trust['level']): readonly Change[] {
    const address = this.#address();
    return address === null ? [] : [this.#message(address, question, level)];
  }

  async perform(): Promise<StepResult> {
    const ends = await this.ledger.badEnds(MOST_LINES);
    if (ends.total === 0) return { outcome: { type: 'done' }, changes: [] };
    const told = { type: 'told', through: ends.through } as const;
    const address = this.#address();
    if (address === null) return { outcome: { type: 'done' }, changes: [told] };
    this.#logger.log(
      `notifies ${address.channel} of ${ends.total} failed runs, deliveries or requests`,
    );
    const text = message(ends, this.settings.names.hasCommand);
    return {
      outcome: { type: 'retry', at: this.clock.now() + PAUSE_MS, interrupted: true },
      changes: [told, this.#message(address, text, 'trusted')],
    };
  }

  /** The lines stay for the next notice. */
  giveUp(): StepResult {
    return { outcome: { type: 'done' }, changes: [] };
  }

  #message(address: Address, text: string, level: Trust['level']): Change {
    const job: DeliveryJob = {
      v: 1,
      deliveryId: newId(),
      eventId: null,
      ...address,
      text,
      runId: null,
      agentId: this.directory.resolve().id,
      becomesLastRoute: false,
      name: 'Notice',
      isNotice: true,
      wakeMode: 'none',
      trust: { level, verifiedBy: 'none' },
    };
    const account = this.channels.accountOf(address.channel);
    return { type: 'work', work: deliveryWork(job, account, this.clock.now()) };
  }

  /** `agents.defaults.notify`; by default the default channel, if it has a recipient of its own, else the first that has. */
  #address(): Address | null {
    const { notify } = this.settings.current.agents.defaults;
    if (notify === false) return null;
    const reachable = [this.channels.default, ...this.channels.ids].find(
      (id) => this.channels.defaultRecipient(id) !== null,
    );
    const channel = notify?.channel ?? reachable;
    if (channel === undefined) return null;
    const to = notify?.to ?? this.channels.defaultRecipient(channel);
    return to === null ? null : { channel, to };
  }
}

/** One message about all of them. */
function message({ total, lines }: BadEnds, hasCommand: boolean): string {
  const failures = total === 1 ? '1 failure' : `${total} failures`;
  const listed = lines.map(({ line, count, eventId }) => {
    const times = count === 1 ? '' : `${count} × `;
    const which = eventId === null ? '' : ` (${count === 1 ? 'event' : 'last event'} ${eventId})`;
    return `- ${times}${line}${which}`;
  });
  const rest = total - lines.reduce((sum, { count }) => sum + count, 0);
  return [
    `${failures} that nobody was notified of:`,
    '',
    ...listed,
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    ...(hasCommand
      ? ['', '`hooks events list --status failed` lists them, `--refused` what was refused.']
      : []),
  ].join('\n');
}
