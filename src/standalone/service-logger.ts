import { Logger, PinoLogger } from 'nestjs-pino';
import type { Params } from 'nestjs-pino';
import { destination, pino } from 'pino';
import type { Logger as PinoLine } from 'pino';

/**
 * Defence in depth: nothing of ours logs these, and if something ever did, they would not be readable. Own fields of a
 * line only: looking deeper would double what each line costs.
 */
const SECRETS = ['token', 'authorization', 'apiKey', 'payload', 'prompt', 'reply'];

/** A write for every line would cost more than everything else a request does before its commit. */
const GATHERED = { minLength: 4096, periodicFlush: 100 };

/** What Nest tells about its own wiring at each start: of no use to an operator. */
const WIRING = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** Context of the lines about requests. */
const REQUESTS = 'Hooks';

/** Where Nest reports a start that failed, with its stack: the sentence on stderr is what an operator needs. */
const START_FAILURES = new Set(['ExceptionHandler', 'NestApplication']);

/**
 * Logs as JSON lines on stdout. Of nestjs-pino only the logger is used, not its module: that one brings a middleware
 * for every request, and requests have one line of their own.
 */
export class ServiceLogger extends Logger {
  /** One line per request has nothing to hide, and must not cost what looking for it costs. */
  readonly #requests: PinoLine;

  /** Resolves when everything logged so far was written. */
  readonly flush: () => Promise<void>;

  constructor() {
    const stream = destination({ dest: 1, sync: false, ...GATHERED });
    const logger = pino({ redact: { paths: SECRETS, censor: '[hidden]' } }, stream);
    const params: Params = { pinoHttp: { logger } };
    super(new PinoLogger(params), params);
    this.#requests = pino({ base: { ...logger.bindings(), context: REQUESTS } }, stream);
    this.flush = () => new Promise((resolve) => stream.flush(() => resolve()));
  }

  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (context === REQUESTS && typeof message === 'object') this.#requests.info(message);
    else if (WIRING.has(String(context))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (START_FAILURES.has(String(rest.at(-1)))) this.debug(message, ...rest);
    else super.error(message, ...rest);
  }
}
