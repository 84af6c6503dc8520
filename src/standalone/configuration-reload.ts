import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError, HooksSettings } from '../hooks/index.ts';
import type { Problem } from '../hooks/index.ts';
import {
  DOTENV_FILE,
  GATEWAY_FILE,
  readConfigurationFiles,
  writtenAt,
} from './configuration-files.ts';
import type { ConfigurationFiles } from './configuration-files.ts';
import { DirectoryWatch } from './directory-watch.ts';
import { loadConfiguration } from './load-configuration.ts';
import { restartKeys } from './restart-keys.ts';
import { RunningConfiguration } from './running-configuration.ts';
import type { Environment } from './variables.ts';

/** DI token of the environment that the service was started with. */
export const ENVIRONMENT = Symbol('ENVIRONMENT');

/** Applies a changed gateway.json5 or .env while the service runs: all of it, or nothing and the reasons. */
@Injectable()
export class ConfigurationReload implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Configuration');
  readonly #watch: DirectoryWatch;
  readonly #onSignal = (): void => void this.reload();
  #seen: ConfigurationFiles;
  /** When the refused files were written; undefined while none are refused. */
  #refusedAt: string | undefined;
  #reloaded: Promise<void> = Promise.resolve();
  #hasFile: boolean;

  constructor(
    private readonly running: RunningConfiguration,
    private readonly settings: HooksSettings,
    @Inject(ENVIRONMENT) private readonly env: Environment,
  ) {
    const { dir, files, isDemo } = running.started;
    this.#seen = files;
    this.#hasFile = !isDemo;
    this.#watch = new DirectoryWatch(dir, [GATEWAY_FILE, DOTENV_FILE], () =>
      this.#reloadIfChanged(),
    );
  }

  onApplicationBootstrap(): void {
    process.on('SIGHUP', this.#onSignal);
    this.#watch.start(({ message }) => {
      this.#logger.warn(
        `Changes are not noticed by themselves (${message}); send SIGHUP after each.`,
      );
    });
    // What was changed while the service started was not watched yet.
    this.#reloadIfChanged();
  }

  onModuleDestroy(): void {
    process.off('SIGHUP', this.#onSignal);
    this.#watch.stop();
  }

  /**
   * Reads the files again and puts them in force, or keeps the configuration in force and says why. One reload after
   * the other, in the order they were asked for. Never rejects.
   */
  reload(): Promise<void> {
    this.#reloaded = this.#reloaded.then(() => this.#reload());
    return this.#reloaded;
  }

  async #reload(): Promise<void> {
    const at = writtenAt(this.running.started.dir);
    try {
      this.#seen = readConfigurationFiles(this.running.started.dir);
      await this.#apply(this.#seen);
      this.#refusedAt = undefined;
    } catch (error) {
      this.#refusedAt = at;
      const problems = error instanceof ConfigurationError ? error.problems : [unexpected(error)];
      this.#logger.error('The changed configuration was refused; the one in force stays.');
      for (const { key, message } of problems) this.#logger.error(`${key} ${message}`);
    }
  }

  /**
   * Throws away echoes: a touched file, or a second event of the same change. What was refused is looked at again when
   * it is saved as it was: what it lacked may lie elsewhere, a transform's file for example.
   */
  #reloadIfChanged(): void {
    const { dir } = this.running.started;
    const isSavedAgain = this.#refusedAt !== undefined && this.#refusedAt !== writtenAt(dir);
    try {
      if (!isSavedAgain && isDeepStrictEqual(readConfigurationFiles(dir), this.#seen)) return;
    } catch {
      // Unreadable is a change, too: reload says so.
    }
    void this.reload();
  }

  async #apply(files: ConfigurationFiles): Promise<void> {
    const { started } = this.running;
    if (files.gateway === undefined && this.#hasFile) {
      const message = 'is gone; put it back (without it the service would show itself as a demo)';
      throw new ConfigurationError([{ key: GATEWAY_FILE, message }]);
    }
    const next = await loadConfiguration(started.dir, this.env, files);
    await this.settings.replace({
      ...next.hooks,
      gatewayAuthToken: started.operatorToken,
      trustedProxies: started.gateway.trustedProxies,
    });
    this.running.use(next);
    this.#hasFile = files.gateway !== undefined;
    this.#report(next.warnings, restartKeys(started, next));
  }

  #report(warnings: readonly Problem[], waiting: readonly string[]): void {
    this.#logger.log('The changed configuration is in force.');
    for (const { key, message } of warnings) this.#logger.warn(`${key} ${message}`);
    if (waiting.length > 0) {
      this.#logger.warn(`Only a restart applies the change of: ${waiting.join(', ')}.`);
    }
  }
}

function unexpected(error: unknown): Problem {
  return { key: GATEWAY_FILE, message: error instanceof Error ? error.message : String(error) };
}
