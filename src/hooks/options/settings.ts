import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { MODULE_NAMES, renamed } from './option-names.ts';
import type { OptionNames } from './option-names.ts';
import { ConfigurationError } from './problem.ts';
import type { Problem } from './problem.ts';
import { resolveOptions } from './resolve.ts';
import type { HandledHooks, Resolution, ResolvedHooksOptions } from './resolve.ts';
import { HANDLED_HOOKS, HOOKS_MODULE_OPTIONS, OPTION_NAMES } from './settings-input.ts';
import type { HooksSettingsInput } from './settings-input.ts';

/** What a check found; keys are places of gateway.json5, e.g. `hooks.mappings[0].to`. */
export interface SettingsFindings {
  readonly problems: readonly Problem[];
  /** Read only when there is no problem anywhere. */
  readonly warnings: readonly Problem[];
}

/** Looks at settings before they are used; may keep what it derived from them. */
export type SettingsCheck = (
  next: ResolvedHooksOptions,
) => SettingsFindings | Promise<SettingsFindings>;

/**
 * The options in force. A reload replaces them all at once or not at all; requests keep those they began with. Other
 * parts of the module add checks, so that nothing comes into force that one of them could not use.
 */
@Injectable()
export class HooksSettings {
  readonly #logger = new Logger(HooksSettings.name);
  readonly #checks: SettingsCheck[] = [];
  readonly #listeners: (() => void)[] = [];
  readonly #first: Resolution;
  #current: ResolvedHooksOptions;
  #replaced: Promise<void> = Promise.resolve();

  constructor(
    @Inject(HOOKS_MODULE_OPTIONS) given: HooksSettingsInput,
    @Inject(OPTION_NAMES) readonly names: OptionNames = MODULE_NAMES,
    @Optional() @Inject(HANDLED_HOOKS) private readonly handlers?: HandledHooks,
  ) {
    this.#first = this.#resolve(given);
    this.#current = this.#first.resolved;
  }

  get current(): ResolvedHooksOptions {
    return this.#current;
  }

  /** Adds a check that every settings must pass, those of the start included. */
  addCheck(check: SettingsCheck): void {
    this.#checks.push(check);
  }

  /** Calls `listener` after every {@link replace} that was accepted. */
  onReplaced(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Checks what the module was started with.
   * @throws ConfigurationError with every problem.
   */
  async verify(): Promise<void> {
    await this.#accept(this.#first);
  }

  /**
   * Puts new settings in force, one after the other in the order they were given; `path` is kept, it needs a restart.
   * @throws ConfigurationError with every problem; then nothing has changed.
   */
  replace(given: HooksSettingsInput): Promise<void> {
    const replaced = this.#replaced.then(() => this.#replace(given));
    this.#replaced = replaced.catch(() => {});
    return replaced;
  }

  async #replace(given: HooksSettingsInput): Promise<void> {
    const next = this.#resolve({ ...given, path: this.#current.hooks.path });
    await this.#accept(next);
    this.#current = next.resolved;
    for (const listener of this.#listeners) listener();
  }

  #resolve(given: HooksSettingsInput): Resolution {
    const { resolved, ...findings } = resolveOptions(given, this.names);
    return { ...findings, resolved: { ...resolved, handlers: this.handlers } };
  }

  /** What the checks of the module's parts say of options whose mappings have the right shape; nothing comes in force. */
  async findings(next: ResolvedHooksOptions): Promise<SettingsFindings> {
    const checked: SettingsFindings[] = [];
    for (const check of this.#checks) {
      const found = check(next);
      checked.push(found instanceof Promise ? await found : found);
    }
    const problems = checked.flatMap((found) => found.problems);
    const warnings = checked.flatMap((found) => found.warnings);
    return {
      problems: renamed(problems, this.names),
      warnings: renamed(warnings, this.names),
    };
  }

  async #accept(resolution: Resolution): Promise<void> {
    const { problems, warnings } = resolution.areMappingsSound
      ? await this.findings(resolution.resolved)
      : { problems: [], warnings: [] };
    const all = [...resolution.problems, ...problems];
    if (all.length > 0) throw new ConfigurationError(all);
    for (const warning of [...resolution.warnings, ...warnings]) {
      this.#logger.warn(`${warning.key} ${warning.message}`);
    }
  }
}
