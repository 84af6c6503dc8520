import { ModelsOptions, resolveSection } from '../hooks/index.ts';
import type { ProviderOptions } from '../hooks/index.ts';
import type { Configuration } from './configuration.ts';
import type { Environment } from './variables.ts';

/** What the service was started with, and the parts of it that a reload has changed since. */
export class RunningConfiguration {
  #providers: Readonly<Record<string, ProviderOptions>> = {};
  #env: Environment = {};

  constructor(readonly started: Configuration) {
    this.use(started);
  }

  /** `models.providers` in force. */
  get providers(): Readonly<Record<string, ProviderOptions>> {
    return this.#providers;
  }

  /** The environment in force, `.env` included. */
  get env(): Environment {
    return this.#env;
  }

  /** Puts changed sections, already accepted by the hooks module, in force for what this class hands out. */
  use({ hooks: { models }, env }: Pick<Configuration, 'hooks' | 'env'>): void {
    this.#env = env;
    this.#providers = Object.fromEntries(
      resolveSection(ModelsOptions, models, 'models').value.providers,
    );
  }
}
