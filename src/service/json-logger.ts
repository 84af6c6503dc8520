import { write, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import type { LoggerService } from '@nestjs/common';
import { errorCode, errorMessage } from '../platform/errors.ts';
import { isRecord } from '../platform/objects.ts';

/** The levels that are written, by the numbers that collectors know from pino and bunyan. */
const LEVELS = { log: 30, warn: 40, error: 50, fatal: 60 } as const;

/**
 * Defence in depth: nothing of ours logs these, and if something ever did, they would not be readable. Own fields of a
 * line only: looking deeper would double what each line costs.
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

/** A write for every line would cost more than everything else a request does before its commit. */
const GATHERED_CHARACTERS = 32_768;
const GATHERED_MS = 100;

/** How long to wait when whoever reads our lines cannot take any more. */
const FULL_PIPE_MS = 50;

/**
 * Logs as JSON lines on stdout: `level`, `time` (milliseconds), `pid`, `hostname`, `context`, the fields of the object
 * that was logged, and `msg`. Takes both forms, `log({ url }, 'listening')` and `log('listening', { url })`; Nest's
 * Logger adds the context behind them. Debug lines are dropped.
 */
export class JsonLogger implements LoggerService {
  readonly #lines: GatheredWriter;
  readonly #origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;

  /** @param fd where the lines go; stdout by default */
  constructor(fd = 1) {
    this.#lines = new GatheredWriter(fd);
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

  #write(level: keyof typeof LEVELS, message: unknown, rest: readonly unknown[]): void {
    const last = rest.at(-1);
    const context = typeof last === 'string' ? `,"context":${JSON.stringify(last)}` : '';
    const params = typeof last === 'string' ? rest.slice(0, -1) : rest;
    const head = `{"level":${LEVELS[level]},"time":${Date.now()},${this.#origin}${context}`;
    const fields = asJson(lineFields(message, params));
    this.#lines.add(fields === '{}' ? `${head}}\n` : `${head},${fields.slice(1)}\n`);
  }
}

/** The fields of a line besides its head; the text comes last, as people read it. */
function lineFields(message: unknown, params: readonly unknown[]): object {
  // The line of a request, by far the most frequent.
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

/**
 * Gathers texts and writes them in one go, in order, without ever blocking: a slow reader of our output must not stop
 * the service. What is gathered when the process exits is written then.
 */
class GatheredWriter {
  #gathered = '';
  #writing: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #flushed: (() => void)[] = [];

  constructor(private readonly fd: number) {
    process.on('exit', () => this.#writeRest());
  }

  add(text: string): void {
    if (this.#isClosed) return;
    this.#gathered += text;
    if (this.#gathered.length >= GATHERED_CHARACTERS) this.#writeNext();
    else this.#timer ??= setTimeout(() => this.#writeNext(), GATHERED_MS).unref();
  }

  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushed.push(resolve);
      this.#writeNext();
    });
  }

  #writeNext(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing.length > 0) return;
    if (this.#gathered === '') {
      for (const resolve of this.#flushed.splice(0)) resolve();
      return;
    }
    this.#writing = Buffer.from(this.#gathered);
    this.#gathered = '';
    this.#write();
  }

  #write(): void {
    write(this.fd, this.#writing, (error, bytes) => {
      if (errorCode(error) === 'EAGAIN') {
        setTimeout(() => this.#write(), FULL_PIPE_MS);
        return;
      }
      // Nobody reads any more (EPIPE), or nothing can be written there: the service goes on without its log.
      this.#isClosed = error !== null;
      this.#writing = this.#isClosed ? Buffer.alloc(0) : this.#writing.subarray(bytes);
      if (this.#isClosed) this.#gathered = '';
      if (this.#writing.length > 0) this.#write();
      else if (this.#gathered !== '' || this.#flushed.length > 0) this.#writeNext();
    });
  }

  /** A line whose write is under way may come twice, which is better than not at all. */
  #writeRest(): void {
    const rest = Buffer.concat([this.#writing, Buffer.from(this.#gathered)]);
    if (this.#isClosed || rest.length === 0) return;
    try {
      writeSync(this.fd, rest);
    } catch (error) {
      process.stderr.write(`The last log lines were lost (${errorCode(error)}).\n`);
    }
  }
}
