import { IsIn, IsOptional } from 'class-validator';
import { DURATION, durationMs } from '../../platform/time.ts';
import type { AwaitedEvent, WaitForOption, WhenOver } from '../ports/index.ts';
import { OptionalText, Rule, TextList } from './key-kinds.ts';

const LONGEST_MS = 90 * 24 * 3_600_000;

/** How long something may be waited for: 1m to 2160h (90 days). */
export function isWaitingTime(value: unknown): boolean {
  if (typeof value !== 'string' || !DURATION.test(value)) return false;
  return durationMs(value) >= 60_000 && durationMs(value) <= LONGEST_MS;
}

/** `hooks.mappings[].waitFor`: the event that its runs wait for. */
export class WaitForOptions {
  /**
   * What the event has to give with `resume`, such as `{{ payload.deployment.id }}`. Template. With it a run begins once
   * that event has come, and is shown it; without it, its agent may say what it waits for while it runs.
   */
  @OptionalText()
  key?: string;

  /** Ids of the mappings with `action: 'resume'` whose events may resume it. */
  @Rule('notEmpty', hasAny, 'must name at least one')
  @TextList()
  by!: readonly string[];

  /** How the senders of these events have to be verified, such as `token ci`, as event details say it. Default: any of them. */
  @IsOptional()
  @Rule('notEmpty', hasAny, 'must name at least one')
  @TextList()
  senders?: readonly string[];

  /** How long at most, `1m` to `2160h` (90 days). @default '24h' */
  @IsOptional()
  @Rule('waitingTime', isWaitingTime, 'must be a duration from 1m to 2160h')
  until?: string;

  /** What then becomes of a run that has not begun: `deny`, it ends; `expire`, it is given up and can be retried. @default 'deny' */
  @IsOptional()
  @IsIn(['deny', 'expire'])
  then?: WhenOver;
}

function hasAny(value: unknown): boolean {
  return !Array.isArray(value) || value.length > 0;
}

/** What a run waits for, as its job keeps it. @param key as it was rendered; absent: its agent says it */
export function toAwaited(
  { by, senders, until = '24h', then = 'deny' }: WaitForOption,
  key: string | undefined,
): AwaitedEvent {
  return {
    ...(key !== undefined && { key }),
    by,
    ...(senders !== undefined && { senders }),
    withinMs: durationMs(until),
    whenOver: then,
  };
}
