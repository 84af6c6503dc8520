import type { Command } from 'commander';
import type { Clock } from '../hooks/index.ts';
import type { Environment, Inspection } from '../service/index.ts';
import type { StopRequest } from '../platform/stop-request.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { Terminal } from './terminal.ts';

/* One object per command, in a file below `commands/`, and a row in `program.ts`; docs/cli.md is read from that tree. */

export interface CliCommand<Options extends OptionList = OptionList> {
  /** One word; a command of a group is called by its own word only: `check`, not `config check`. */
  readonly name: string;
  readonly description: string;
  /** In the order they are typed; `<required>` ones first, then `[optional]` ones. Default: none. */
  readonly arguments?: readonly ArgumentDeclaration[];
  readonly options: Options;
  /** At least one; shown at the end of the help. */
  readonly examples: readonly Example[];
  /**
   * Runs it to its end. The exit code is `context.terminal.exitCode`, 0 unless it was set.
   * @param args as declared; an optional one that was left out is undefined.
   * @throws CliError with the exit code and what to do; anything else ends the process with 1.
   */
  action(
    context: CommandContext,
    options: OptionValues<Options>,
    ...args: string[]
  ): Promise<void> | void;
}

/** Commands under one word, such as `config`. Alone it shows its help and fails as a wrong usage. */
export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly Example[];
  readonly commands: readonly CliCommand[];
}

export interface CommandContext {
  readonly terminal: Terminal;
  /** The environment of the process, `.env` not included. */
  readonly env: Environment;
  readonly cwd: string;
  /** The configuration that a service started here would have. @throws ConfigurationError without its directory. */
  readonly inspect: () => Promise<Inspection>;
  /** The request that the service here ends; undefined: none was made so far. */
  readonly stop: StopRequest | undefined;
  /** Its waits keep the process alive. */
  readonly clock: Clock;
  readonly program: Command;
}

type ArgumentDeclaration = readonly [syntax: string, description: string];

export type Example = readonly [command: string, purpose: string];

/** One flag: commander's notation (`--limit <count>`, `-y, --yes`, `--no-wait`), its help, and how its text is read. */
export interface OptionDeclaration<Flags extends string = string, Value = unknown> {
  readonly flags: Flags;
  readonly description: string;
  /** @param before what an earlier occurrence gave, for flags that may be repeated. @throws CliError */
  parse?(this: void, text: string, before?: Value): Value;
}

export type OptionList = readonly OptionDeclaration[];

/** The values of a command's options by their names in camel case; one that was not given is undefined. */
export type OptionValues<Options extends OptionList> = {
  readonly [
    Option in Options[number] as NameOf<Option['flags']>
  ]?: Option extends OptionDeclaration<string, infer Value> ? Value : never;
};

export function defineCommand<const Options extends OptionList>(
  command: CliCommand<Options>,
): CliCommand<Options> {
  return command;
}

/** Declares a flag. Without `parse` its value is the text that follows it, or true (`--no-…`: false) where none does. */
export function option<Flags extends string>(
  flags: Flags,
  description: string,
): OptionDeclaration<Flags, Flags extends `${string}<${string}` ? string : boolean>;
export function option<Flags extends string, Value>(
  flags: Flags,
  description: string,
  parse: (text: string, before?: Value) => Value,
): OptionDeclaration<Flags, Value>;
export function option(
  flags: string,
  description: string,
  parse?: (text: string, before?: unknown) => unknown,
): OptionDeclaration {
  return { flags, description, ...(parse !== undefined && { parse }) };
}

export const JSON_OPTION = option('--json', 'print one JSON document and nothing else');

/** Reads a whole number from `least` to `most`; anything else is a wrong usage. */
export function wholeNumber(flag: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
    throw wrongValue(flag, `a whole number from ${least} to ${most}`);
  };
}

/** Reads one of these words; anything else is a wrong usage. */
export function oneOf<const Word extends string>(
  flag: string,
  words: readonly Word[],
): (text: string) => Word {
  return (text) => {
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    throw wrongValue(flag, `one of ${words.join(', ')}`);
  };
}

export function positiveNumber(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}(\.\d+)?$/.test(text) && value > 0) return value;
    throw wrongValue(flag, 'a number over 0');
  };
}

export function wrongValue(flag: string, form: string): CliError {
  return new CliError(`${flag} must be ${form}.`, undefined, EXIT.usage);
}

/** `--run-timeout <seconds>` is `runTimeout`, `--no-wait` is `wait`, `-y, --yes` is `yes`. */
type NameOf<Flags extends string> = Flags extends `${string}--no-${infer Name}`
  ? CamelCase<FirstWord<Name>>
  : Flags extends `${string}--${infer Name}`
    ? CamelCase<FirstWord<Name>>
    : never;
type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;
type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text;

/** A flag by the name of its value, as it is typed: `--client-secret-env` for `clientSecretEnv`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * What a flag such as `--since` says, as ISO 8601: `90m`, or a date as programs write it; undefined for undefined.
 * A date without a time zone is one of this machine's.
 * @throws CliError
 */
export function pastTime<T extends string | undefined>(
  flag: string,
  text: T,
  now: number,
): T extends string ? string : string | undefined;
export function pastTime(flag: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  if (ms !== undefined) return new Date(now - Number(amount) * ms).toISOString();
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text;
  const at = /^\d{4}-\d\d-\d\d/.test(day) ? Date.parse(day) : Number.NaN;
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new CliError(
    `${flag} is neither a length of time nor a date.`,
    'Write it as 90m, 24h or 7d, or as 2026-01-31 or 2026-01-31T08:00:00Z.',
    EXIT.usage,
  );
}
