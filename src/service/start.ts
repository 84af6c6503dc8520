// docs/design/service.md
import 'reflect-metadata';
import { isAbsolute, relative } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.ts';
import {
  ConfigurationError,
  HooksSettings,
  LedgerAdmin,
  Maintenance,
  normalizePrefix,
} from '../hooks/index.ts';
import type { StopRequest } from '../platform/stop-request.ts';
import { configurationDirectory, loadConfiguration } from './configuration/load.ts';
import type { Configuration } from './configuration/load.ts';
import type { Environment } from './configuration/environment.ts';
import { hasConsole } from './console/index.ts';
import { limitConnections } from './connection-limit.ts';
import { JsonErrorsFilter } from './refusals.ts';
import { createHttpAdapter } from './http-adapter.ts';
import { JsonLogger } from './json-logger.ts';
import { GATEWAY_KEYS, ListenFailure, listenFailure } from './listen-failure.ts';
import { MailWatch, mailTarget } from './mail-watch.ts';
import { OrderlyStop } from './orderly-stop.ts';
import { OperatorListener } from './operator-listener.ts';
import type { OperatorSide } from './operator-side.ts';
import { Metrics } from './ops/index.ts';

// From a process to a service that listens. Everything that can go wrong on the way ends in one sentence on stderr.

export interface ProcessContext {
  readonly env: Environment;
  /** Where a configuration is looked for without GATEWAY_CONFIG_DIR. */
  readonly cwd: string;
  readonly stop: StopRequest;
  /**
   * True: a data directory that another process uses is waited for, and refused otherwise. So does
   * GATEWAY_WAIT_FOR_LOCK=1.
   */
  readonly waitForLock?: boolean;
}

/** Starts the service and leaves it running; a start that fails says why on stderr and ends the process with 1. */
export async function start(context: ProcessContext): Promise<void> {
  const logger = new JsonLogger();
  const stop = new OrderlyStop(context.stop, logger);
  const refuse = async (error: unknown): Promise<void> => {
    // What fails since a stop has begun fails because of it.
    if (stop.isRequested) return;
    await stop.close();
    await logger.flush();
    process.stderr.write(`${startRefusal(error)}\n`, () => process.exit(1));
  };
  try {
    // A signal that came while this was loaded is heard now.
    await nextTurn();
    if (stop.isRequested) return;
    const { app, configuration, at } = await startService(context, logger, stop);
    announce(configuration, at, context.cwd);
    // A ledger that is opened while the service listens may yet turn out to be unusable.
    void app
      .get(Maintenance, { strict: false })
      .untilLost()
      .then(() => endLost(logger), refuse);
  } catch (error) {
    await refuse(error);
  }
}

interface StartedService {
  readonly app: NestFastifyApplication;
  readonly configuration: Configuration;
  readonly at: ListeningAt;
}

/** @throws whatever prevented it; what was begun is left for `stop` to close */
export async function startService(
  context: Omit<ProcessContext, 'stop'>,
  logger: LoggerService,
  stop: Pick<OrderlyStop, 'closes'>,
): Promise<StartedService> {
  const { env, cwd, waitForLock = env['GATEWAY_WAIT_FOR_LOCK'] === '1' } = context;
  const configuration = await loadConfiguration(configurationDirectory(env, cwd), env);
  const { gateway, operatorAddress } = configuration;
  const adapter = createHttpAdapter(operatorSide(configuration));
  const operator = operatorAddress && new OperatorListener(adapter.getInstance(), operatorAddress);
  const app = await NestFactory.create<NestFastifyApplication>(
    await AppModule.forConfiguration(configuration, env, waitForLock),
    adapter,
    { logger, abortOnError: false, bodyParser: false },
  );
  stop.closes(app, gateway.shutdownSeconds);
  app.useGlobalFilters(new JsonErrorsFilter());
  let operatorUrl: string | undefined;
  try {
    // The first call opens the ledger: a port that the other process listens on is not asked for before it has ended.
    if (waitForLock) await app.get(LedgerAdmin, { strict: false }).isPaused();
    // The operator's first: while it is refused, no sender is answered.
    await app.init();
    operatorUrl = await operator?.listen();
    await app.listen(gateway.port, gateway.host);
  } catch (error) {
    throw listenFailure(error, GATEWAY_KEYS);
  }
  const url = await app.getUrl();
  limitConnections(app.getHttpServer(), operator?.server, app.get(Metrics, { strict: false }));
  const settings = app.get(HooksSettings, { strict: false });
  app.get(MailWatch).start(() => mailTarget(url, settings.current.hooks));
  return { app, configuration, at: { hooks: url, operator: operatorUrl } };
}

/** Host names that are no secret to a browser: those that the operator wrote. */
function operatorSide({ gateway, ops, operatorAddress }: Configuration): OperatorSide {
  const isApart = operatorAddress !== undefined;
  const listened = operatorAddress?.kind === 'tcp' ? operatorAddress.host : gateway.host;
  return {
    isApart,
    hasConsole: hasConsole(),
    hosts: [...ops.hosts, ...(listened === undefined ? [] : [listened])],
  };
}

/** Where it listens, as `http://127.0.0.1:18790`. */
export interface ListeningAt {
  readonly hooks: string;
  /** Or as `unix:/run/hooks/ops.sock`; absent: at the same address. */
  readonly operator?: string | undefined;
}

/** One log line, the warnings of the configuration, and for a person a page of commands to try. */
function announce(configuration: Configuration, at: ListeningAt, cwd: string): void {
  const logger = new Logger('Service');
  const operator = at.operator !== undefined && { operator: at.operator };
  logger.log({ msg: 'listening', url: at.hooks, ...operator });
  for (const { key, message } of configuration.warnings) logger.warn(`${key} ${message}`);
  // Where a supervisor collects the lines of a configured service, only JSON belongs among them.
  if (configuration.isDemo || process.stdout.isTTY) {
    process.stdout.write(banner(configuration, at, cwd));
  }
}

/** What a person reads who has just started the service: where it is, and commands that work as they are. */
export function banner(
  configuration: Configuration,
  { hooks: url, operator = url }: ListeningAt,
  cwd: string,
  isConsoleServed = hasConsole(),
): string {
  const { isDemo, hooks } = configuration;
  const prefix = `${url}${normalizePrefix(hooks.path ?? '')}`;
  const hookToken = tokenWord(configuration.hookTokenFile, '$HOOK_TOKEN', cwd);
  const operatorToken = tokenWord(configuration.operatorTokenFile, '$OPERATOR_TOKEN', cwd);
  const paragraphs = [
    isDemo
      ? `Listening on ${url} (demo: there is no gateway.json5 in ${configuration.dir})`
      : `Listening on ${url}`,
    ...(hooks.enabled === true
      ? [
          paragraph(
            'Wake the agent:',
            hook(`${prefix}/wake`, hookToken, { text: 'Hello', mode: 'now' }),
          ),
          paragraph('Ask the agent:', hook(`${prefix}/agent`, hookToken, { message: 'Say hello' })),
        ]
      : ['Hooks are off; set hooks.enabled and hooks.token in gateway.json5.']),
    // No browser opens a socket.
    ...(isConsoleServed && !operator.startsWith('unix:')
      ? [
          paragraph(
            `Look at it; log in with the token ${tokenPlace(configuration, cwd)}:`,
            `${operator}/console`,
          ),
        ]
      : []),
    paragraph(
      'See what happened:',
      `curl -sS -H "Authorization: Bearer ${operatorToken}" ${curlAddress(operator)}/ops/api/events`,
    ),
  ];
  return `\n${paragraphs.join('\n\n')}\n\n`;
}

function paragraph(title: string, command: string): string {
  return `${title}\n  ${command}`;
}

function hook(url: string, token: string, payload: object): string {
  return `curl -sS ${url} -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify(payload)}'`;
}

function curlAddress(url: string): string {
  const [, path] = /^unix:(.*)$/s.exec(url) ?? [];
  return path === undefined ? url : `--unix-socket ${shellWord(path)} http://localhost`;
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Never the token itself: the command that reads it, or the variable that stands for one the operator chose. */
function tokenWord(file: string | undefined, variable: string, cwd: string): string {
  if (file === undefined) return variable;
  return `$(cat ${shellWord(shownPath(file, cwd))})`;
}

function tokenPlace({ operatorTokenFile: file }: Configuration, cwd: string): string {
  return file === undefined ? 'of gateway.auth' : `in ${shownPath(file, cwd)}`;
}

function shownPath(file: string, cwd: string): string {
  const near = relative(cwd, file);
  return near.startsWith('..') || isAbsolute(near) ? file : near;
}

/** How long answers that are under way may take when the ledger is lost. */
const LAST_ANSWERS_MS = 1000;

/**
 * Ends the process with 1: nothing that runs could be written any more, and a supervisor that begins it anew finds the
 * ledger that is there by then.
 */
async function endLost(logger: JsonLogger): Promise<void> {
  logger.fatal('the ledger is lost: the process ends, to be started again', 'Service');
  await delay(LAST_ANSWERS_MS);
  await logger.flush();
  process.exit(1);
}

/** What a start that failed says on stderr: one clear sentence, or one for each problem of the configuration. */
export function startRefusal(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  if (!(error instanceof Error)) return `The service cannot start: ${String(error)}`;
  if (error instanceof ListenFailure) return error.message;
  // A mistake of ours, not of the operator: whoever repairs it needs the place.
  const isOurs = [TypeError, ReferenceError, SyntaxError, RangeError].some(
    (kind) => error instanceof kind,
  );
  return `The service cannot start: ${isOurs ? error.stack : error.message}`;
}
