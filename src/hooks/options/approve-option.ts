import { DURATION, durationMs } from '../../platform/time.ts';
import { isRecord } from '../../platform/objects.ts';
import { Rule } from './key-kinds.ts';
import type { Approval, ApproveOption, ApproveSettings, Trust } from '../ports/index.ts';

const LONGEST_MS = 90 * 24 * 3_600_000;
const SETTINGS: Readonly<Record<keyof ApproveSettings, (value: unknown) => boolean>> = {
  run: isAskWhen,
  reply: isAskWhen,
  until: (value) => typeof value === 'string' && DURATION.test(value) && isInRange(value),
  then: (value) => value === 'deny' || value === 'expire',
  whileWaiting: (value) => value === 'continue' || value === 'hold',
};

/** An {@link ApproveOption}. */
export function IsApprove(): PropertyDecorator {
  const message =
    'must be run, reply, false, or an object {run, reply: true or "when-untrusted", until: "1m" to "2160h", then: "deny" or "expire", whileWaiting: "continue" or "hold"} with run or reply';
  return Rule('isApprove', isApprove, message);
}

function isApprove(value: unknown): boolean {
  if (value === false || value === 'run' || value === 'reply') return true;
  if (!isRecord(value) || !(value['run'] || value['reply'])) return false;
  const checks: Readonly<Record<string, (value: unknown) => boolean>> = SETTINGS;
  return Object.entries(value).every(([key, given]) => checks[key]?.(given) === true);
}

function isAskWhen(value: unknown): boolean {
  return typeof value === 'boolean' || value === 'when-untrusted';
}

function isInRange(until: string): boolean {
  return durationMs(until) >= 60_000 && durationMs(until) <= LONGEST_MS;
}

/**
 * What a person decides about a run whose reply strangers will read: the reply, too, unless its mapping says otherwise of
 * replies, or of everything.
 */
export function approveOpenly(
  ofMapping: ApproveOption | undefined,
  ofAgent: ApproveOption | undefined,
): ApproveOption {
  const saysSo = typeof ofMapping === 'object' && ofMapping.reply !== undefined;
  if (ofMapping === false || saysSo) return ofMapping;
  const option = ofMapping ?? ofAgent;
  if (option === undefined || option === false || option === 'reply') return 'reply';
  return { ...(option === 'run' ? { run: true } : option), reply: true };
}

/** What is decided about one run, as its job keeps it. Undefined: nothing. */
export function toApproval(
  option: ApproveOption | undefined,
  { level }: Trust,
  sessionMode: 'isolated' | 'persistent',
): Approval | undefined {
  if (option === undefined || option === false) return undefined;
  const settings: ApproveSettings = typeof option === 'string' ? { [option]: true } : option;
  const { run, reply, until = '24h', then = 'deny' } = settings;
  const asksRun = run === true || (run === 'when-untrusted' && level === 'untrusted');
  if (!asksRun && !reply) return undefined;
  return {
    ...(asksRun && { run: true }),
    ...(reply && { reply }),
    withinMs: durationMs(until),
    whenOver: then,
    whileWaiting: settings.whileWaiting ?? (sessionMode === 'isolated' ? 'continue' : 'hold'),
  };
}
