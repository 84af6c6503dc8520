import { durationMs } from '../../platform/time.ts';
import { isRecord } from '../../platform/objects.ts';
import { Rule } from './key-kinds.ts';
import { isWaitingTime } from './wait-for-option.ts';
import type { Approval, ApproveOption, ApproveSettings, AskWhen, Trust } from '../ports/index.ts';

/** `desk_echo`, `desk_*` */
const TOOL_PATTERN = /^[\w*-]{1,64}$/;
const MOST_PATTERNS = 50;
const SETTINGS: Readonly<Record<keyof ApproveSettings, (value: unknown) => boolean>> = {
  run: isAskWhen,
  tools: (value) => isAskWhen(value) || isPatterns(value),
  reply: isAskWhen,
  until: isWaitingTime,
  then: (value) => value === 'deny' || value === 'expire',
  whileWaiting: (value) => value === 'continue' || value === 'hold',
  approvers: (value) => Array.isArray(value) && value.length > 0 && value.every(isApprover),
};

export function IsApprove(): PropertyDecorator {
  const message =
    'must be run, tools, reply, false, or an object {run, tools, reply: true or "when-untrusted", until: "1m" to "2160h", then: "deny" or "expire", whileWaiting: "continue" or "hold", approvers: ["telegram:12345", "configure", …]} with run, tools, reply or approvers; tools may also list names such as "desk_*"';
  return Rule('isApprove', isApprove, message);
}

function isApprove(value: unknown): boolean {
  if (value === false || value === 'run' || value === 'tools' || value === 'reply') return true;
  if (!isRecord(value)) return false;
  if (!['run', 'tools', 'reply', 'approvers'].some((key) => Boolean(value[key]))) return false;
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

function isPatterns(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_PATTERNS) return false;
  return value.every((name) => typeof name === 'string' && TOOL_PATTERN.test(name));
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
  return { ...settingsOf(option), reply: true };
}

/** What is said more closely, with the approvers of what holds otherwise where it names none. */
export function withApprovers(
  option: ApproveOption | undefined,
  otherwise: ApproveOption,
): ApproveOption {
  if (option === undefined) return otherwise;
  const { approvers } = settingsOf(otherwise);
  return approvers === undefined ? option : { approvers, ...settingsOf(option) };
}

/** What is decided about one run, as its job keeps it. Undefined: nothing. */
export function toApproval(
  option: ApproveOption | undefined,
  { level }: Trust,
  sessionMode: 'isolated' | 'persistent',
): Approval | undefined {
  const settings = settingsOf(option);
  const { run, reply, until = '24h', then = 'deny', approvers } = settings;
  const asksRun = run === true || (run === 'when-untrusted' && level === 'untrusted');
  const tools = toolApproval(option);
  if (!asksRun && !reply && tools === undefined) return undefined;
  return {
    ...(asksRun && { run: true }),
    ...(tools && { tools }),
    ...(reply && { reply }),
    withinMs: durationMs(until),
    whenOver: then,
    whileWaiting: settings.whileWaiting ?? (sessionMode === 'isolated' ? 'continue' : 'hold'),
    ...(approvers !== undefined && { approvers }),
  };
}

/** Which tool calls a person decides about. Undefined: none. */
export function toolApproval(option: ApproveOption | undefined): Approval['tools'] {
  const { tools } = settingsOf(option);
  if (!tools) return undefined;
  const when: Exclude<AskWhen, false> = tools === 'when-untrusted' ? tools : true;
  return { names: typeof tools === 'object' ? tools : ['*'], when };
}

function settingsOf(option: ApproveOption | undefined): ApproveSettings {
  if (option === undefined || option === false) return {};
  return typeof option === 'string' ? { [option]: true } : option;
}
