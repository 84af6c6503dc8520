import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import type { LoggerService } from '@nestjs/common';
import { errorMessage } from '../platform/errors.ts';
import { isRecord } from '../platform/objects.ts';
import { GatheredWriter } from './gathered-writer.ts';

/** The levels that are written, by the numbers that collectors know from pino and bunyan. */
const LEVELS = { log: 30, warn: 40, error: 50, fatal: 60 } as const;
type Level = keyof typeof LEVELS;

/**
 * Nothing of ours logs these; if something did, they would not be readable. Own fields of a line only: deeper would
 * double what each line costs.
 */
const SECRETS = new Set(['token', 'authorization', 'apiKey', 'payload', 'prompt', 'reply']);

/** What Nest says about its own wiring at each start: of no use to an operator. */
const WIRING = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** Where Nest reports a start that failed, with its stack: the sentence on stderr is what an operator needs. */
const START_FAILURES = new Set(['ExceptionHandler', 'NestApplication']);

/** What a terminal would obey, reorder or hide: written out in what a person reads there. */
const UNSHOWABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Logs as JSON lines on stdout, and for a person on a terminal. Takes `log({ url }, 'listening')` and `log('listening',
 * { url })`; drops debug lines.
 */
export class JsonLogger implements LoggerService {
  readonly #lines: GatheredWriter;
  readonly #origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  readonly #toLine: (level: Level, context: string | undefined, fields: object) => string;

  /** @param fd where the lines go @param isTerminal true: a person reads them */
  constructor(fd = 1, isTerminal = isatty(fd)) {
    this.#toLine = isTerminal ? readableLine : (...line) => this.#jsonLine(...line);
    this.#lines = new GatheredWriter(fd, (dropped) => {
      const msg = `dropped ${dropped.toLocaleString('en-US')} log lines while nobody read the log`;
      return this.#toLine('warn', JsonLogger.name, { dropped, msg });
    });
  }

  log(message: unknown, ...rest: unknown[]): void {
    if (!WIRING.has(String(rest.at(-1)))) this.#write('log', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (!START_FAILURES.has(String(rest.at(-1)))) this.#write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  /** Resolves when everything logged so far was written. */
  flush(): Promise<void> {
    return this.#lines.flush();
  }

  #write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const last = rest.at(-1);
    const context = typeof last === 'string' ? last : undefined;
    const params = context === undefined ? rest : rest.slice(0, -1);
    this.#lines.add(this.#toLine(level, context, lineFields(message, params)));
  }

  #jsonLine(level: Level, context: string | undefined, fields: object): string {
    const named = context === undefined ? '' : `,"context":${JSON.stringify(context)}`;
    const head = `{"level":${LEVELS[level]},"time":${Date.now()},${this.#origin}${named}`;
    const json = asJson(fields);
    return json === '{}' ? `${head}}\n` : `${head},${json.slice(1)}\n`;
  }
}

/** As `15:28:01 warn Hooks: refused again hook=wake count=3`. */
function readableLine(level: Level, context: string | undefined, fields: object): string {
  const { msg, ...others }: Record<string, unknown> = JSON.parse(asJson(fields));
  const parts = [
    new Date().toTimeString().slice(0, 8),
    ...(level === 'log' ? [] : [level]),
    ...(context === undefined ? [] : [`${context}:`]),
    ...(typeof msg === 'string' ? [msg] : []),
    ...Object.entries(others).map(([name, value]) => `${name}=${readableValue(value)}`),
  ];
  return `${parts.join(' ').replace(UNSHOWABLE, written)}\n`;
}

function readableValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/u.test(value) ? value : JSON.stringify(value);
}

function written(character: string): string {
  return String.raw`\u{${character.codePointAt(0)?.toString(16)}}`;
}

function lineFields(message: unknown, params: readonly unknown[]): object {
  if (params.length === 0 && isRecord(message) && !(message instanceof Error))
    return withoutSecrets(message);
  const text = [message, ...params].find((part) => typeof part === 'string');
  const msg = message instanceof Error ? errorMessage(message) : text;
  const objects = [message, ...params].filter(isRecord);
  return { ...withoutSecrets(Object.assign({}, ...objects)), ...(msg !== undefined && { msg }) };
}

function withoutSecrets(fields: Readonly<Record<string, unknown>>): object {
  const isSafe = !Object.keys(fields).some((name) => SECRETS.has(name));
  if (isSafe) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRETS.has(name) ? '[hidden]' : value]),
  );
}

/** Logging never fails: what has no JSON (a cycle, a bigint) is said to have none. */
function asJson(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    return JSON.stringify({ msg: `a log line has no JSON form: ${errorMessage(error)}` });
  }
}
