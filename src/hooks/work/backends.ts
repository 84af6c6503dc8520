// docs/design/work.md
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { HooksSettings, unaliased } from '../options/index.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import { AgentDirectory, AgentRunner } from '../ports/index.ts';
import type { Agent, AgentTurn } from '../ports/index.ts';

type Asking = Pick<AgentTurn, 'agent' | 'model'>;

/** Who answers turns, by name: turns of one backend wait together while it cannot be asked. */
@Injectable()
export class Backends {
  #asked: readonly (Pick<Agent, 'id' | 'runner'> & { readonly backend: string })[] = [];
  #providers: ResolvedHooksOptions['models']['providers'] = new Map();

  constructor(
    private readonly runner: AgentRunner,
    private readonly directory: AgentDirectory,
    private readonly settings: HooksSettings,
  ) {}

  /** The agent's model of now: a change of the configuration helps what has waited. */
  modelOf({ model: own }: Agent): string | undefined {
    const { agents, models } = this.settings.current;
    const model = own ?? agents.defaults.model;
    return model && unaliased(model, models.aliases, agents.defaults.models);
  }

  /** Who answers a turn, and its model, which has limits and troubles of its own; the same where there is none. */
  of(turn: Asking): readonly [backend: string, model: string] {
    const backend = this.runner.backend?.(turn) ?? backendOf(turn);
    return [backend, modelOf(turn) ?? backend];
  }

  /**
   * What is otherwise since the last call: which backends have another provider's settings, or another runner's, and
   * which ones (`left`) an agent asks no more.
   */
  compare(): { isChanged: (backend: string) => boolean; left: readonly string[] } {
    const [asked, providers] = [this.#asked, this.#providers];
    const { current } = this.settings;
    const now = this.directory.list().flatMap((agent) => {
      const { id, runner } = agent;
      const backends = new Set(this.of({ agent, model: this.modelOf(agent) }));
      return Array.from(backends, (backend) => ({ id, runner, backend }));
    });
    this.#asked = now;
    this.#providers = current.models.providers;
    const pairs = asked.map((one) => {
      const same = now.find(({ id, backend }) => id === one.id && backend === one.backend);
      return [one, same] as const;
    });
    return {
      left: pairs.flatMap(([{ backend }, same]) => (same === undefined ? [backend] : [])),
      isChanged: (backend) => {
        const [, name = ''] = /^model (?:provider )?([^/]+)/.exec(backend) ?? [];
        if (!isDeepStrictEqual(providers.get(name), current.models.providers.get(name)))
          return true;
        const own = pairs.filter(([one, same]) => one.backend === backend && same !== undefined);
        return own.some(([one, same]) => !isDeepStrictEqual(one.runner, same?.runner));
      },
    };
  }
}

const PROVIDER_NAME = /^[\w.-]{1,64}$/;

/** Who answers, where the runner does not say it itself: no path, query or key, as it is told to people. */
function backendOf({ agent: { runner }, model = '' }: Asking): string {
  if (runner?.type === 'callback') return `agent at ${URL.parse(runner.baseUrl)?.host ?? ''}`;
  if (runner?.type === 'http') return `gateway ${URL.parse(runner.baseUrl)?.host ?? ''}`;
  if (runner?.type === 'command') return `command ${runner.command}`;
  const [provider = ''] = model.split('/');
  if (provider === '') return 'the default model';
  // A request may name any model where none are configured; a name is repeated only if it can say nothing else.
  return PROVIDER_NAME.test(provider) ? `model provider ${provider}` : 'an unknown model provider';
}

const MODEL_NAME = /^[\w.:@/-]{1,128}$/;

/** The model of a provider, where the turn names one: each has limits, and troubles, of its own. */
function modelOf({ agent: { runner }, model = '' }: Asking): string | undefined {
  const isModel = runner === undefined || runner.type === 'model';
  return isModel && model.includes('/') && MODEL_NAME.test(model) ? `model ${model}` : undefined;
}
