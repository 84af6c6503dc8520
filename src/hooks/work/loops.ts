// Whether a run goes round in a circle (behaviour.md §16, docs/design/rules.md): its event says what a reply of ours said, to
// an event that said what a reply before that said, and so on, and nobody has added a word.
//
//   RunLease ─▶ before ─┬─ its event came of no reply               ─▶ it begins; what it replies is remembered
//                       ├─ it did, and somebody has added something ─▶ likewise; rounds are counted anew
//                       ├─ it did, within the rounds that may be     ─▶ likewise, one round more
//                       └─ one round too many                        ─▶ waits for a person's decision
//
// All of it is looked up anew whenever the run is begun, so that no crash counts a round twice or not at all.
import { Injectable } from '@nestjs/common';
import { RunRules, WorkLedger } from '../ports/index.ts';
import type { Change, FoundReply, ReplyChange, Rounds, RunJob, RunLease } from '../ports/index.ts';
import { Approvals } from './approvals.ts';
import { countCuts, digest, marksOf, repetition, stretchesOf, wordsOf } from './repeated-words.ts';
import type { Repetition } from './repeated-words.ts';
import type { StepResult } from './step.ts';

/** Rounds of one mapping, each of which is an agent's turn; the next one waits. */
export const MOST_ROUNDS = 3;
/** Words around a reply, and of the event that began, that are kept: more are in no frame that a program makes. */
const MOST_WORDS = 100;
/** So many words an event needs to be known again. */
const FEWEST_WORDS = 4;
/** So many words somebody adds, most of what he says, who begins something of his own: a frame changes less. */
const NEW_BEGINNING = 8;

/** Of what a run came. */
export interface Origin {
  readonly rounds: Rounds;
  /** Null: of no reply of ours. */
  readonly cause: FoundReply | null;
}

/** Holds runs that go round in a circle. */
@Injectable()
export class LoopKeeper {
  constructor(
    private readonly rules: RunRules,
    private readonly ledger: WorkLedger,
    private readonly approvals: Approvals,
  ) {}

  /**
   * What becomes of a run instead of beginning, or of what it came; null: nobody is told what it replies.
   * @param hasBegun it goes on, whatever it came of
   */
  async before(lease: RunLease, hasBegun: boolean): Promise<StepResult | Origin | null> {
    const { job } = lease;
    if (job.deliver === null) return null;
    const words = wordsOf(job.message);
    // A person has let it go on.
    if (job.loop !== undefined || job.approve?.run === true) return beginning(words);
    const { mapping } = job.trust;
    const { eventId, receivedAt } = job;
    const marks = stretchesOf(words);
    const found = await this.ledger.findReplies({ eventId, marks, receivedAt });
    const origin = originOf(job.message, found, mapping ?? job.hook);
    const count = mapping === undefined ? 0 : (origin.rounds.counts[mapping] ?? 0);
    if (hasBegun || origin.cause === null || count <= MOST_ROUNDS) return origin;
    if (mapping === undefined || !this.rules.stopsLoops(mapping)) return origin;
    const seconds = Math.max(0, Math.round((receivedAt - origin.cause.at) / 1000));
    return this.approvals.loop(
      lease,
      `it repeats our reply of ${seconds} s before, for the ${count}th time in a row: a loop, held`,
    );
  }

  /** Remembers a reply that is on its way. @param origin of its run */
  remember(job: RunJob, runId: string, text: string, origin: Origin | null): readonly Change[] {
    if (origin === null) return [];
    const { rounds, cause } = origin;
    const foreign = new Set(stretchesOf(wordsOf(job.message)));
    // What came of a reply of ours is ours.
    for (const stretch of cause === null ? [] : stretchesOf(wordsOf(cause.text)))
      foreign.delete(stretch);
    const marks = marksOf(wordsOf(text), foreign);
    const kept = { type: 'reply', runId, eventId: job.eventId, marks, rounds } as const;
    return [{ ...kept, ...(cause !== null && { cause: cause.runId }) } satisfies ReplyChange];
  }
}

function beginning(words: readonly string[]): Origin {
  return { rounds: { counts: {}, around: {}, began: digests(words) }, cause: null };
}

/** What an event came of, and the rounds with it. @param mapping of the event */
export function originOf(message: string, found: readonly FoundReply[], mapping: string): Origin {
  const words = wordsOf(message);
  const compared = found.map((reply) => ({ reply, ...repetition(words, wordsOf(reply.text)) }));
  const surely = compared.filter((cause) => isCause(cause, words));
  const causes = surely.length > 0 ? surely : compared.filter((one) => isRestOf(one, mapping));
  const most = Math.max(...causes.map(closeness));
  const close = causes.filter((one) => closeness(one) >= most - 0.05);
  const repeated = Math.max(...close.map((one) => one.repeated));
  const closest = close.filter((one) => one.repeated >= 0.9 * repeated);
  // An alert that goes on, say, with our reply noted beside it: without that it begins what comes next.
  const again = closest.find(({ reply, others }) => {
    return reply.named !== 'header' && saysAgain(others, reply.rounds.began);
  });
  if (again !== undefined) return beginning(again.others);
  // Of several that say the same, the one that has caused least: each comes back by itself.
  const [cause] = closest.toSorted(
    (one, other) => one.reply.uses - other.reply.uses || depth(one) - depth(other),
  );
  if (cause === undefined) return beginning(words);
  return { rounds: nextRounds(cause, { message, words }, mapping), cause: cause.reply };
}

interface Cause extends Repetition {
  readonly reply: FoundReply;
}

function closeness({ reply, share, shareOfHead }: Cause): number {
  // Many replies begin alike.
  return reply.named === 'header' ? 2 : Math.max(share, 0.8 * shareOfHead);
}

function depth({ reply: { rounds } }: Cause): number {
  return Object.values(rounds.counts).reduce((sum, count) => sum + count, 0);
}

function isCause(
  { reply, share, shareOfHead, repeated }: Cause,
  words: readonly string[],
): boolean {
  if (reply.named !== null) return true;
  return share >= 0.5 || shareOfHead >= 0.75 || (repeated >= 8 && repeated / words.length >= 0.8);
}

/**
 * Whether an event says how a reply begins and little more, since the rest was cut off. A few words stand in other texts,
 * too, so that the frame has to be known where nothing more is left.
 */
function isRestOf(cause: Cause, mapping: string): boolean {
  const isFramed = cause.reply.rounds.around[mapping] !== undefined && added(cause).length === 0;
  return cause.begins >= (isFramed ? 2 : 4);
}

/** What stood around no reply before it. */
function added({ reply, others }: Cause): readonly string[] {
  const known = new Set(Object.values(reply.rounds.around).flatMap(({ words }) => words));
  return digests(others).filter((word) => !known.has(word));
}

/** Whether somebody says again by himself what began it, such as an alert that goes on, whatever else he says. */
function saysAgain(others: readonly string[], began: readonly string[]): boolean {
  if (began.length < FEWEST_WORDS) return false;
  const said = new Set(digests(others, Infinity));
  return began.filter((word) => said.has(word)).length >= 0.8 * began.length;
}

/** A round more, unless somebody has added words to the reply that did not stand around the one before. */
function nextRounds(
  cause: Cause,
  { message, words }: { readonly message: string; readonly words: readonly string[] },
  mapping: string,
): Rounds {
  const { reply, others, rest, repeated, isWhole } = cause;
  const { counts, around, began } = reply.rounds;
  const before = around[mapping];
  const own = digests(others);
  const isCut = !isWhole || countCuts(message) > countCuts(reply.text);
  const now = { sure: own, words: digests([...others, ...rest]), isCut };
  const next = { ...counts, [mapping]: (counts[mapping] ?? 0) + 1 };
  if (before === undefined || reply.named === 'header') {
    return { counts: next, around: { ...around, [mapping]: before ?? now }, began };
  }
  const more = added(cause);
  const hasMore = others.length > MOST_WORDS || more.length > 0;
  // What stands below a reply is seen once it is not cut off any more.
  const isUncovered = before.isCut && isWhole;
  const all = new Set(digests(words, Infinity));
  const missing = before.sure.filter((word) => !all.has(word)).length;
  // Nobody gives others a frame of common words, of which their own answers would be parts.
  const mayMiss = repeated > 0 && (isCut || before.isCut) ? before.sure.length / 2 : 0;
  const hasLess = missing > mayMiss;
  if ((hasMore && !isUncovered) || hasLess) {
    const isNew = more.length >= Math.max(NEW_BEGINNING, own.length / 2);
    const begins = isNew ? own : began;
    return { counts: { [mapping]: 1 }, around: { [mapping]: now }, began: begins };
  }
  return { counts: next, around: { ...around, [mapping]: isUncovered ? now : before }, began };
}

function digests(words: readonly string[], most = MOST_WORDS): readonly string[] {
  return Array.from(new Set(words)).slice(0, most).map(digest);
}
