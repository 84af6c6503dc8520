import { Injectable, Logger } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import { Clock, WorkLedger } from '../ports/index.ts';
import type { BadEnds, Change, NewWork, NoticeLease } from '../ports/index.ts';
import { asLogged, inBrief } from './backend-health.ts';
import { OperatorAddress } from './operator-address.ts';
import type { Step, StepResult } from './step.ts';
import type { FailedTurn, FinishedTurn } from './agent-dispatch.ts';

/*
 * What ends badly writes a line in the commit of its end; a little later one notice tells of all of them, and the next
 * waits for a minute. Lines are made of our own words and of names of the configuration, never of anything that a sender
 * or an agent wrote.
 */

/** What ends within this time is one message. */
const GATHER_MS = 5000;
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

@Injectable()
export class Notices implements Step<NoticeLease> {
  readonly #logger = new Logger(Notices.name);

  constructor(
    private readonly ledger: WorkLedger,
    private readonly operator: OperatorAddress,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** What the end of a step writes when it was a bad one. @param line see above. @param count how many ended so */
  report(line: string, eventId: string | null, count = 1): readonly Change[] {
    if (this.operator.find() === null) return [];
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

  async perform(): Promise<StepResult> {
    const ends = await this.ledger.badEnds(MOST_LINES);
    if (ends.total === 0) return { outcome: { type: 'done' }, changes: [] };
    const told = { type: 'told', through: ends.through } as const;
    const address = this.operator.find();
    if (address === null) return { outcome: { type: 'done' }, changes: [told] };
    this.#logger.log(
      `notifies ${address.channel} of ${ends.total} failed runs, deliveries or requests`,
    );
    const text = message(ends, this.settings.names.hasCommand);
    return {
      outcome: { type: 'retry', at: this.clock.now() + PAUSE_MS, interrupted: true },
      changes: [told, this.operator.message(address, text)],
    };
  }

  /** The lines stay for the next notice. */
  giveUp(): StepResult {
    return { outcome: { type: 'done' }, changes: [] };
  }
}

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
