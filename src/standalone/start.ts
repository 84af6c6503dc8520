import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../app.module.ts';
import { HooksSettings } from '../hooks/index.ts';
import { banner } from './banner.ts';
import type { Configuration } from './configuration.ts';
import { createHttpAdapter } from './http-adapter.ts';
import { JsonErrorsFilter } from './json-errors.filter.ts';
import { configurationDirectory, loadConfiguration } from './load-configuration.ts';
import { ServiceLogger } from './service-logger.ts';
import { endOnSignals } from './signals.ts';
import { mailTarget } from './mail-target.ts';
import { MailWatch } from './mail-watch.ts';
import { startRefusal } from './start-refusal.ts';
import type { Environment } from './variables.ts';

/** The process as the service sees it. */
export interface Surroundings {
  readonly env: Environment;
  readonly cwd: string;
}

/** Starts the service and leaves it running; a start that fails says why on stderr and ends the process with 1. */
export async function start(surroundings: Surroundings): Promise<void> {
  const logger = new ServiceLogger();
  try {
    await startService(surroundings, logger);
  } catch (error) {
    await logger.flush();
    process.stderr.write(`${startRefusal(error)}\n`, () => process.exit(1));
  }
}

async function startService({ env, cwd }: Surroundings, logger: ServiceLogger): Promise<void> {
  const configuration = await loadConfiguration(configurationDirectory(env, cwd), env);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forConfiguration(configuration, env),
    createHttpAdapter(),
    { logger, abortOnError: false, bodyParser: false },
  );
  app.useGlobalFilters(new JsonErrorsFilter());
  endOnSignals(app, logger);
  try {
    await app.listen(configuration.gateway.port, configuration.gateway.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = await app.getUrl();
  announce(configuration, url, cwd);
  const settings = app.get(HooksSettings, { strict: false });
  app.get(MailWatch).start(() => mailTarget(url, settings.current.hooks));
}

function announce(configuration: Configuration, url: string, cwd: string): void {
  const logger = new Logger('Service');
  logger.log({ msg: 'listening', url });
  for (const { key, message } of configuration.warnings) logger.warn(`${key} ${message}`);
  // Where a supervisor collects the lines of a configured service, only JSON belongs among them.
  if (configuration.isDemo || process.stdout.isTTY) {
    process.stdout.write(banner(configuration, url, cwd));
  }
}
