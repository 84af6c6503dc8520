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

  /** None where a host's runner cannot say it: its turns tell that, and a change of the configuration goes on. */
  #ofAgent(agent: Agent): readonly string[] {
    try {
      return this.of({ agent, model: this.modelOf(agent) });
    } catch {
      return [];
    }
  }

  /** Which backends are asked otherwise than at the last call: with other settings of the provider, or by other agents. */
  compare(): (backend: string) => boolean {
    const [asked, providers] = [this.#asked, this.#providers];
    const now = this.directory.list().flatMap((agent) => {
      const backends = this.#ofAgent(agent);
      return backends.map((backend) => ({ id: agent.id, runner: agent.runner, backend }));
    });
    const current = this.settings.current.models.providers;
    this.#asked = now;
    this.#providers = current;
    return (backend) => {
      const [, name = ''] = /^model (?:provider )?([^/]+)/.exec(backend) ?? [];
      if (!isDeepStrictEqual(providers.get(name), current.get(name))) return true;
      // An agent that asks another one now has turns that wait for this one.
      const before = asked.filter((one) => one.backend === backend);
      return before.some((one) => !now.some((other) => isDeepStrictEqual(one, other)));
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
