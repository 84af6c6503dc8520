import { Injectable } from '@nestjs/common';
import { modelIds, unaliased } from '../options/index.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import { Rejection } from '../rejection.ts';

/**
 * Whether a run may use the model it names.
 * @publicApi
 */
@Injectable()
export class ModelPolicy {
  /**
   * Resolves aliases and checks the allowlist and the configured providers.
   * @throws Rejection model_not_allowed
   */
  resolve(
    asked: string,
    { agents, models }: ResolvedHooksOptions,
  ): { model: string; warning?: string } {
    const model = this.unalias(asked, { agents, models });
    const allowed = modelIds(agents.defaults.models);
    if (allowed.length > 0 && !allowed.includes(model)) {
      throw new Rejection(
        'model_not_allowed',
        'The model is not in agents.defaults.models; name an allowed model or none',
      );
    }
    if (models.providers.size === 0) {
      return { model, warning: 'no models are configured, model is passed on unchecked' };
    }
    const slash = model.indexOf('/');
    if (slash < 1 || slash === model.length - 1 || !models.providers.has(model.slice(0, slash))) {
      throw new Rejection(
        'model_not_allowed',
        'The model is unknown; name it as <provider>/<model> with a provider of models.providers, or by an alias',
      );
    }
    return { model };
  }

  /** The model that an alias stands for, or the name itself. */
  unalias(
    name: string,
    { agents, models }: Pick<ResolvedHooksOptions, 'agents' | 'models'>,
  ): string {
    return unaliased(name, models.aliases, agents.defaults.models);
  }
}
