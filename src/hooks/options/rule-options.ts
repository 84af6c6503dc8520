import {
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsTimeZone,
  Matches,
  Min,
} from 'class-validator';
import type { Hours } from '../../platform/hours.ts';
import { DURATION, durationMs } from '../../platform/time.ts';
import type { RuleScope } from '../ports/index.ts';
import {
  OptionalSection,
  OptionalText,
  Rule,
  TIME_MESSAGE,
  TIME_OF_DAY,
  WholeNumber,
} from './key-kinds.ts';
import type { Conditions } from './key-kinds.ts';
import { OF_MESSAGES, OF_NEW_RUNS, OF_RUNS } from './mapping-actions.ts';
import { Option } from './option.ts';

const SECOND = 1000;
const HOUR = 3_600 * SECOND;

/** A duration as text. */
export function Lasts(fromMs: number, toMs: number, words: string): PropertyDecorator {
  const isKept = (value: unknown) =>
    typeof value === 'string' &&
    DURATION.test(value) &&
    durationMs(value) >= fromMs &&
    durationMs(value) <= toMs;
  return Rule('lasts', isKept, `must be a duration from ${words}`);
}

/** How much of one hook goes on and waits: of `hooks.agentLimits`, which is `POST …/agent`, and of each mapping. */
export class RunLimitsOptions {
  /** How many of its runs go on side by side, 1 to 1,000, within `agents.defaults.maxConcurrent`. Default: as many as there are. */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @WholeNumber(1, 1000)
  maxConcurrent?: number;

  /** How many of its runs wait, at least 1; more are answered 503 with `hook_queue_full`. Default: as many as come. */
  @Option({ appliesTo: OF_RUNS })
  @IsOptional()
  @IsInt()
  @Min(1)
  maxQueued?: number;
}

/** `collect`: events of one key become one run, whose message lists them. */
export class CollectOptions {
  /** Longest time from the first event to the run, `1s` to `24h`. */
  @Lasts(SECOND, 24 * HOUR, '1s to 24h')
  for!: string;

  /** The run begins earlier, once nothing has come for so long. Default: it does not. */
  @IsOptional()
  @Lasts(SECOND, 24 * HOUR, '1s to 24h')
  quiet?: string;

  /** Most events of one run, 2 to 200: with the last of them it begins at once. @default 50 */
  @IsOptional()
  @WholeNumber(2, 200)
  most?: number;

  /** What else the events of one run have in common, such as `{{ repository.full_name }}`. Template. Default: nothing. */
  @OptionalText()
  by?: string;

  /** `sender`: one run has events of one sender only. `mapping`: of all that the mapping takes. @default 'sender' */
  @IsOptional()
  @IsIn(['sender', 'mapping'])
  scope?: RuleScope;
}

/** How many runs there are in a time. */
class RunsPerTime {
  /** How many runs, 1 to 100,000. */
  @WholeNumber(1, 100_000)
  runs!: number;

  /** In which time, `1m` to `720h` (30 days): never more than {@link runs} in any time of that length. */
  @Lasts(60 * SECOND, 720 * HOUR, '1m to 720h')
  per!: string;
}

/** `hooks.limit`: how many runs of all mappings together there are in a time, beside the limits of each. */
export class TotalLimitOptions extends RunsPerTime {
  /**
   * What becomes of an event above it. `hold`: its run waits. `skip`: it has no run, and only the runs of its own sender are
   * counted. @default 'hold'
   */
  @IsOptional()
  @IsIn(['hold', 'skip'])
  then?: 'hold' | 'skip';
}

/** `limit` of a mapping. */
export class LimitOptions extends RunsPerTime {
  /** Whose runs are counted. `sender`: those of each sender. `mapping`: those of the mapping together. @default 'sender' */
  @IsOptional()
  @IsIn(['sender', 'mapping'])
  scope?: RuleScope;

  /**
   * What becomes of an event above it. `hold`: its run waits. `collect`: it waits, and becomes one run with those behind it.
   * `skip`: it has no run. @default 'hold'
   */
  @IsOptional()
  @IsIn(['hold', 'collect', 'skip'])
  then?: 'hold' | 'collect' | 'skip';
}

/** `quietHours`: when nothing is sent, as it would be. It is held, and sent after that. */
export class QuietHoursOptions {
  /** First minute of the day, `HH:MM`. */
  @Matches(TIME_OF_DAY, TIME_MESSAGE)
  from!: string;

  /** First minute after them, `HH:MM`; earlier than `from`: they span midnight. */
  @Matches(TIME_OF_DAY, TIME_MESSAGE)
  to!: string;

  /** For example `Europe/Berlin`. Default: the machine's own. */
  @IsOptional()
  @IsTimeZone()
  timezone?: string;
}

export function toHours({ from, to, timezone }: QuietHoursOptions): Hours {
  return { start: from, end: to, timezone };
}

/** `quietHours` of a mapping. */
export class MappedQuietHoursOptions extends QuietHoursOptions {
  /** What is sent all the same, as in `when`: whatever meets all conditions of one of these, in quiet hours of channels, too. */
  @Option({ conditions: true })
  @IsOptional()
  @IsObject({ each: true })
  @IsArray()
  except?: readonly Conditions[];
}

/** What becomes of events that come too fast, of each mapping, or of all that say nothing else (`hooks.defaults`). */
export class RuleOptions extends RunLimitsOptions {
  /** Which events become one run, whose message lists them, one line each. Default: none. */
  @Option({ appliesTo: OF_NEW_RUNS })
  @OptionalSection(CollectOptions)
  collect?: CollectOptions;

  /**
   * What becomes of an event whose session has a run already (`busyScope`). `queue`: it waits. `skip`: it has no run. `replace`: its run
   * takes the place of those that wait, for a decision or an event, too, and of the one under way, unless one may have acted
   * already. @default 'queue'
   */
  @Option({ appliesTo: OF_NEW_RUNS })
  @IsOptional()
  @IsIn(['queue', 'skip', 'replace'])
  whenBusy?: 'queue' | 'skip' | 'replace';

  /** Whose runs `whenBusy` looks at. `sender`: those of the same sender. `mapping`: of all senders. @default 'sender' */
  @Option({ appliesTo: OF_NEW_RUNS })
  @IsOptional()
  @IsIn(['sender', 'mapping'])
  busyScope?: RuleScope;

  /** How many runs there are in a time, and what becomes of the others. Default: as many as come. */
  @Option({ appliesTo: OF_NEW_RUNS })
  @OptionalSection(LimitOptions)
  limit?: LimitOptions;

  /** When its messages are held, beside the quiet hours of their channel. Default: never. */
  @Option({ appliesTo: OF_MESSAGES })
  @OptionalSection(MappedQuietHoursOptions)
  quietHours?: MappedQuietHoursOptions;
}
