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
  approvers: (value) => Array.isArray(value) && value.length > 0 && value.every(isApprover),
};

/** An {@link ApproveOption}. */
export function IsApprove(): PropertyDecorator {
  const message =
    'must be run, reply, false, or an object {run, reply: true or "when-untrusted", until: "1m" to "2160h", then: "deny" or "expire", whileWaiting: "continue" or "hold", approvers: ["telegram:12345", "configure", …]} with run, reply or approvers';
  return Rule('isApprove', isApprove, message);
}

function isApprove(value: unknown): boolean {
  if (value === false || value === 'run' || value === 'reply') return true;
  if (!isRecord(value)) return false;
  if (!(value['run'] || value['reply'] || value['approvers'])) return false;
  const checks: Readonly<Record<string, (value: unknown) => boolean>> = SETTINGS;
  return Object.entries(value).every(([key, given]) => checks[key]?.(given) === true);
}

/** Somebody's id on a platform, or the role that an operator has to have. */
const APPROVER = /^(?:[a-z]{2,20}:[!-9;-~]{1,64}|configure)$/;

function isApprover(value: unknown): boolean {
  return typeof value === 'string' && APPROVER.test(value);
}

function isAskWhen(value: unknown): boolean {
  return typeof value === 'boolean' || value === 'when-untrusted';
}

function isInRange(until: string): boolean {
  return durationMs(until) >= 60_000 && durationMs(until) <= LONGEST_MS;
}

function toSettings(option: ApproveOption = false): ApproveSettings {
  if (option === false) return {};
  return typeof option === 'string' ? { [option]: true } : option;
}

/** What is said more closely, with the approvers of what holds otherwise where it names none. */
export function withApprovers(
  option: ApproveOption | undefined,
  otherwise: ApproveOption,
): ApproveOption {
  if (option === undefined) return otherwise;
  const { approvers } = toSettings(otherwise);
  return approvers === undefined ? option : { approvers, ...toSettings(option) };
}

/** What is decided about one run, as its job keeps it. Undefined: nothing. */
export function toApproval(
  option: ApproveOption | undefined,
  { level }: Trust,
  sessionMode: 'isolated' | 'persistent',
): Approval | undefined {
  const settings = toSettings(option);
  const { run, reply, until = '24h', then = 'deny', approvers } = settings;
  const asksRun = run === true || (run === 'when-untrusted' && level === 'untrusted');
  if (!asksRun && !reply) return undefined;
  return {
    ...(asksRun && { run: true }),
    ...(reply && { reply }),
    withinMs: durationMs(until),
    whenOver: then,
    whileWaiting: settings.whileWaiting ?? (sessionMode === 'isolated' ? 'continue' : 'hold'),
    ...(approvers !== undefined && { approvers }),
  };
}
