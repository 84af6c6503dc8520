// What people read who are asked about a run: what would happen, what its agent was asked, and how the question ended.
import { shorten } from '../../platform/shorten.ts';
import { dayAndTime } from '../../platform/time.ts';
import { EXCERPT_CHARS, isAllSeen, neutralizeLine, showExcerpt } from '../boundary/index.ts';
import type { NewWait, QuestionKind, RunJob, Trust, WaitDecision } from '../ports/index.ts';
import { plainLinks } from './links.ts';

export interface Question {
  readonly wait: Pick<
    NewWait,
    'id' | 'owner' | 'openedAt' | 'until' | 'whenOver' | 'recipient' | 'calls'
  > & { readonly kind: QuestionKind };
  /** The reply, the tool calls, or the message that a run would begin with. */
  readonly text: string;
  readonly level: Trust['level'];
}

/** Most characters of what would begin a run, where it cannot be shown as a whole. */
const MAX_SHOWN = 1000;
const LOOK_CLOSELY =
  'Not all of it may be seen here as it is; look at it in the console before you decide.';
const MAX_REASON = 200;

export function wouldHappen(
  { hook, agentId, loop, trust: { mapping = hook } }: RunJob,
  { kind, recipient, calls = [] }: Question['wait'],
): string {
  const [who, agent] = [asName(mapping), asName(agentId)];
  switch (kind) {
    case 'run':
      return `${who} would begin a run of the agent ${agent} with this message${loop === undefined ? '' : ` (${loop})`}:`;
    case 'tools':
      return `${who} would have the agent ${agent} call ${calls.length === 1 ? 'this tool' : 'these tools'}:`;
    case 'reply': {
      const to = recipient?.to ? `, recipient \`${asWord(recipient.to)}\`` : '';
      return `${who} would send this reply to ${recipient?.channel ?? 'nobody'}${to}:`;
    }
  }
}

export interface Shown {
  readonly text: string;
  /** The contents of its blocks of code. */
  readonly quotes: readonly string[];
}

interface Showing {
  /** What it is about, whole. @default that, of what would begin a run the beginning */
  readonly about?: string;
  /** Nothing proves that all of it is seen. */
  readonly isDoubted?: boolean;
  /** Characters of what the agent was asked. */
  readonly most?: number;
}

export function questionOf(
  job: RunJob,
  { wait, text }: Question,
  hasCommand: boolean,
  { about, isDoubted = false, most = EXCERPT_CHARS }: Showing,
): Shown {
  const { id, kind, openedAt, until, whenOver } = wait;
  const otherwise = whenOver === 'deny' ? 'it is denied' : 'it is given up';
  const time = dayAndTime(until);
  const how = hasCommand
    ? `\`hooks approve ${id}\` or \`hooks deny ${id}\`; without a decision by ${time} ${otherwise}.`
    : `Decide about ${id} in the console; without a decision by ${time} ${otherwise}.`;
  const shown = about ?? (kind === 'run' ? shorten(text, MAX_SHOWN) : text);
  const request = kind === 'run' ? null : requestOf(job, id, most);
  const facts = `Hook ${asName(job.hook)}, agent ${asName(job.agentId)}, waiting since ${dayAndTime(openedAt)}.`;
  return {
    text: [
      wouldHappen(job, wait),
      quoted(shown),
      ...(isAllSeen(text) && !isDoubted ? [] : [LOOK_CLOSELY]),
      request === null ? facts : `${facts} The agent was asked:`,
      ...(request === null ? [] : [quoted(request)]),
      how,
    ].join('\n\n'),
    quotes: request === null ? [shown] : [shown, request],
  };
}

/** It is shown and no more, so it may differ: nothing in it links, nor ends a block of code where three backticks always do. */
function requestOf({ message }: RunJob, waitId: string, most: number): string {
  const form = (text: string) => plainLinks(text).replace(/`{3,}/g, "'''");
  return showExcerpt(message, waitId, { most, form });
}

/** As a block of code: where CommonMark is read, no text can leave it. */
function quoted(text: string): string {
  const ticks = Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length);
  const fence = '`'.repeat(ticks.reduce((most, length) => Math.max(most, length + 1), 3));
  return `${fence}\n${text}\n${fence}`;
}

/** A name that a sender may have chosen, or an operator: whatever is in it, it reads as a name. */
function asName(name: string): string {
  return /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/.test(name)
    ? name
    : `\`${asWord(neutralizeLine(name))}\``;
}

/** On one line, for a place between marks of code. */
export function asWord(text: string): string {
  return shorten(text.replace(/[`\s\p{Cc}]+/gu, ' '), MAX_REASON);
}

export function endText({ verdict, by, at, reason, text }: WaitDecision): string {
  const time = dayAndTime(Date.parse(at));
  const why = reason === null ? '' : `: ${shorten(reason.replace(/\s+/g, ' '), MAX_REASON)}`;
  if (verdict === 'expired')
    return reason === null
      ? `**Nobody has decided in time** (${time}).`
      : `**Nobody has to decide any more** (${time})${why}`;
  const what = verdict === 'denied' ? 'Denied' : 'Approved';
  const how = text === null ? '' : ' with other words';
  // A name with a colon could be taken for an address.
  return `**${what}${how} by ${by?.replace(':', ' ') ?? 'nobody'}**, ${time}${why}`;
}
