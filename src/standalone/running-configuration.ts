import { ModelsOptions, resolveSection } from '../hooks/index.ts';
import type { HooksSettingsInput, ProviderOptions } from '../hooks/index.ts';
import type { Configuration } from './configuration.ts';

/** What the service was started with, and the parts of it that a reload has changed since. */
export class RunningConfiguration {
  #providers: Readonly<Record<string, ProviderOptions>> = {};

  constructor(readonly started: Configuration) {
    this.use(started.hooks);
  }

  /** `models.providers` in force. */
  get providers(): Readonly<Record<string, ProviderOptions>> {
    return this.#providers;
  }

  /** Puts changed sections, already accepted by the hooks module, in force for what this class hands out. */
  use({ models }: HooksSettingsInput): void {
    this.#providers = Object.fromEntries(
      resolveSection(ModelsOptions, models, 'models').value.providers,
    );
  }
}
