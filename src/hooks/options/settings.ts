import { Inject, Injectable, Logger } from '@nestjs/common';
import { HOOKS_MODULE_OPTIONS } from './tokens.ts';
import { ConfigurationError, areMappingsSound } from './problem.ts';
import type { Problem } from './problem.ts';
import { resolveOptions } from './resolve.ts';
import type { HooksSettingsInput, Resolution, ResolvedHooksOptions } from './resolve.ts';

/** What a check found. */
export interface SettingsFindings {
  readonly problems: readonly Problem[];
  /** Read only when there is no problem anywhere. */
  readonly warnings: readonly Problem[];
}

/** Looks at settings before they are used; may keep what it derived from them. */
export type SettingsCheck = (
  next: ResolvedHooksOptions,
) => SettingsFindings | Promise<SettingsFindings>;

/** The options in force. A reload replaces them all at once or not at all; requests keep those they began with. */
@Injectable()
export class HooksSettings {
  readonly #logger = new Logger(HooksSettings.name);
  readonly #checks: SettingsCheck[] = [];
  readonly #listeners: (() => void)[] = [];
  readonly #first: Resolution;
  #current: ResolvedHooksOptions;
  #replaced: Promise<void> = Promise.resolve();

  constructor(@Inject(HOOKS_MODULE_OPTIONS) given: HooksSettingsInput) {
    this.#first = resolveOptions(given);
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
    const next = resolveOptions({ ...given, path: this.#current.hooks.path });
    await this.#accept(next);
    this.#current = next.resolved;
    for (const listener of this.#listeners) listener();
  }

  async #accept({ resolved, problems, warnings }: Resolution): Promise<void> {
    const checked: SettingsFindings[] = [];
    for (const check of areMappingsSound(problems) ? this.#checks : []) {
      const found = check(resolved);
      checked.push(found instanceof Promise ? await found : found);
    }
    const all = [...problems, ...checked.flatMap((result) => result.problems)];
    if (all.length > 0) throw new ConfigurationError(all);
    for (const warning of [...warnings, ...checked.flatMap((result) => result.warnings)]) {
      this.#logger.warn(`${warning.key} ${warning.message}`);
    }
  }
}
