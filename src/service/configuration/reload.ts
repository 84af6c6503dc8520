import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  ConfigurationError,
  HooksSettings,
  ModelsOptions,
  normalizePrefix,
  resolveSection,
} from '../../hooks/index.ts';
import type { ChannelBindings, Problem, ProviderOptions } from '../../hooks/index.ts';
import { getField } from '../../platform/objects.ts';
import { currentBindings } from './channels-section.ts';
import { inspectConfiguration } from './inspect.ts';
import { loadConfiguration } from './load.ts';
import type { Environment } from './environment.ts';
import {
  GATEWAY_FILE,
  changedFiles,
  readConfigurationFiles,
  sectionFiles,
  writtenAt,
} from './files.ts';
import type { ConfigurationFiles } from './files.ts';
import type { Configuration } from './load.ts';
import { watcherPart } from './mail-section.ts';
import { maskProblems } from './masking.ts';
import { AuditTrail } from '../audit-trail.ts';
import { CONFIGURATION } from './sections.ts';
import type { OperatorTokens } from './operator-tokens.ts';
import { ConfigurationWatch } from './watch.ts';

/** What the service was started with, and the parts of it that a reload has changed since. */
export class RunningConfiguration {
  #providers: Readonly<Record<string, ProviderOptions>> = {};
  #inForce: Configuration;
  #channels: ChannelBindings;
  #restartFor: readonly string[] = [];
  #refused: readonly Problem[] = [];

  /** Reads the files again and puts them in force; never rejects. Nothing, until somebody watches them. */
  reread: () => Promise<void> = () => Promise.resolve();

  constructor(readonly started: Configuration) {
    this.#inForce = started;
    this.#channels = started.channels;
    this.use(started);
  }

  /** What a reload last put in force; what needs a restart is as it was {@link started}. */
  get inForce(): Configuration {
    return this.#inForce;
  }

  get providers(): Readonly<Record<string, ProviderOptions>> {
    return this.#providers;
  }

  /** The channels in force, read anew each time that a step asks for one. */
  readonly channels: ChannelBindings = currentBindings(() => this.#channels);

  /** Channels are in force while `accept` checks what names them. @throws what it does; they are as before then. */
  async withChannels(next: ChannelBindings, accept: () => Promise<void>): Promise<void> {
    const before = this.#channels;
    this.#channels = next;
    try {
      await accept();
    } catch (error) {
      this.#channels = before;
      throw error;
    }
  }

  get env(): Environment {
    return this.#inForce.env;
  }

  get operatorTokens(): OperatorTokens {
    const { operatorToken, ops } = this.#inForce;
    const others = ops.tokens.map(({ token, ...who }) => ({ ...who, token: token.trim() }));
    return { operator: operatorToken, others, metrics: ops.metricsToken?.trim() };
  }

  /** What of the files is not in force: keys that wait for a restart, and why a change was refused. */
  get unapplied(): {
    readonly restartFor: readonly string[];
    readonly refused: readonly Problem[];
  } {
    return { restartFor: this.#restartFor, refused: this.#refused };
  }

  /** The changed files were refused because of these, which hold no secret; what is in force stays. */
  refuse(problems: readonly Problem[]): void {
    this.#refused = problems;
  }

  use(next: Configuration): void {
    this.#inForce = next;
    this.#restartFor = restartKeys(this.started, next);
    this.#refused = [];
    this.#providers = Object.fromEntries(
      resolveSection(ModelsOptions, next.hooks.models, 'models').value.providers,
    );
  }
}

export const ENVIRONMENT = Symbol('ENVIRONMENT');

/**
 * Applies a changed configuration while the service runs, noticed or announced by SIGHUP: all of it, or nothing and the
 * reasons. What needs a restart is logged.
 */
@Injectable()
export class ConfigurationReload implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Configuration');
  readonly #watch: ConfigurationWatch;
  readonly #onSignal = (): void => void this.reload();
  /** The files that were read last, in force or refused. */
  #seen: ConfigurationFiles;
  /** When the refused files were written; undefined while none are refused. */
  #refusedAt: string | undefined;
  #reloaded: Promise<void> = Promise.resolve();

  constructor(
    private readonly running: RunningConfiguration,
    private readonly settings: HooksSettings,
    @Inject(ENVIRONMENT) private readonly env: Environment,
    private readonly trail: AuditTrail,
  ) {
    const { dir, files } = running.started;
    this.#seen = files;
    this.#watch = new ConfigurationWatch(dir, () => this.#reloadIfChanged());
    running.reread = () => this.reload();
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
   * Reads the files again and puts them in force, or keeps what is and says why; one reload after the other. Never
   * rejects.
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
      this.running.refuse(await this.#masked(problems));
    }
  }

  /** Never rejects: what broke the reading of the files would break it once more. */
  async #masked(problems: readonly Problem[]): Promise<Problem[]> {
    const { dir } = this.running.started;
    try {
      return maskProblems(problems, await inspectConfiguration(dir, this.env, this.#seen));
    } catch {
      return problems.map(({ key }) => ({ key, message: 'cannot be used; the log says why' }));
    }
  }

  /**
   * Ignores events without a change. Refused files are read again even when saved unchanged: what they lacked may be
   * elsewhere.
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

  /** @throws ConfigurationError with every problem; then nothing has changed */
  async #apply(files: ConfigurationFiles): Promise<void> {
    const { started } = this.running;
    this.#refuseDemo(files);
    const next = await loadConfiguration(started.dir, this.env, files);
    try {
      await this.running.withChannels(next.channels, () =>
        this.settings.replace({
          ...next.hooks,
          trustedProxies: started.gateway.trustedProxies,
        }),
      );
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new ConfigurationError(error.problems.map(next.place));
    }
    const changed = changedFiles(this.running.inForce.files, files);
    this.running.use(next);
    this.#report(changed, next.warnings);
    if (changed.length > 0) await this.#keep(changed, files);
  }

  async #keep(changed: readonly string[], files: ConfigurationFiles): Promise<void> {
    const entry = {
      actor: 'files',
      client: null,
      operation: 'reload',
      subject: changed.join(', '),
      outcome: 'done',
      before: null,
      after: null,
    };
    // Services that share a ledger read the same files, each for itself.
    const once = hash('sha256', JSON.stringify([files, entry]));
    await this.trail.record({ ...entry, once });
  }

  /** A configured service never turns into the demo, nor loses what its operator wrote. */
  #refuseDemo({ gateway, fragments = [] }: ConfigurationFiles): void {
    if (gateway !== undefined) return;
    const message = 'is gone; put it back (without it the service would show itself as a demo)';
    const inForce = this.running.inForce.files;
    const [first] = sectionFiles(inForce);
    // Of those that made it a configured service, the last one cannot go.
    const isGone = inForce.gateway !== undefined || fragments.length === 0;
    if (first !== undefined && isGone) {
      throw new ConfigurationError([{ key: first.file, message }]);
    }
  }

  #report(files: readonly string[], warnings: readonly Problem[]): void {
    const which = files.length === 0 ? '' : ` (${files.join(', ')})`;
    this.#logger.log(`The changed configuration is in force${which}.`);
    for (const { key, message } of warnings) this.#logger.warn(`${key} ${message}`);
    const { restartFor } = this.running.unapplied;
    if (restartFor.length > 0) {
      this.#logger.warn(`Only a restart applies the change of: ${restartFor.join(', ')}.`);
    }
  }
}

function unexpected(error: unknown): Problem {
  return { key: GATEWAY_FILE, message: error instanceof Error ? error.message : String(error) };
}

/** What a restart has to apply: whole where it says so of itself. */
const NEED_RESTART = CONFIGURATION.below(({ restart }) => restart === true).filter(
  ({ traits }) => traits.restart === true,
);

/** The keys in which two configurations differ and which only a restart applies. */
export function restartKeys(running: Configuration, next: Configuration): string[] {
  const [before, after] = [asUsed(running), asUsed(next)];
  return NEED_RESTART.filter(
    ({ path }) => !isDeepStrictEqual(getField(before, ...path), getField(after, ...path)),
  ).map(({ key }) => key);
}

/** The sections as the service uses them: two ways to write one thing are the same there. */
function asUsed({ gateway, hooks, mail, store, ops, operatorAddress }: Configuration): object {
  const path = normalizePrefix(hooks.path ?? '');
  const used = { ...hooks, path, mail: watcherPart(mail) };
  return { gateway, hooks: used, store, ops: Object.assign({}, ops, { listen: operatorAddress }) };
}
