import type { Problem, ResolvedHooksOptions } from '../../options/index.ts';
import { AgentDirectory } from '../../ports/index.ts';
import type { Agent } from '../../ports/index.ts';
import { Rejection } from '../../rejections/index.ts';
import { AgentPolicy } from '../policy/agent-policy.ts';
import { ModelPolicy } from '../policy/model-policy.ts';
import { SessionPolicy } from '../policy/session-policy.ts';
import type { NamedKey } from '../policy/session-policy.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { labelOf } from './mapping-entry.ts';
import { isStatic } from './template.ts';
import type { Template } from './template.ts';
import type { PlacedMapping } from './unreachable.ts';

const ALWAYS = 'is refused for every request';

/**
 * What the policies would refuse for every request, whatever its payload, is the operator's mistake and not a sender's:
 * found by asking the same policies at start.
 */
export class RefusedAlways {
  readonly #directory: AgentDirectory;
  readonly #agents: AgentPolicy;
  readonly #sessions = new SessionPolicy();
  readonly #models = new ModelPolicy();

  /** @param agentIds every agent, the default one first */
  constructor(
    private readonly settings: ResolvedHooksOptions,
    agentIds: readonly string[],
  ) {
    this.#directory = new NamedAgents(agentIds);
    this.#agents = new AgentPolicy(this.#directory);
  }

  /** `hooks.defaultSessionKey`, for requests that name neither an agent nor a session. */
  ofDefaultSession(): Problem[] {
    const refusal = this.#sessionRefusal(undefined, undefined);
    return problem('hooks.defaultSessionKey', refusal && `is refused for every run: ${refusal}`);
  }

  /** A session that the mapping's agent can never have: refused at start. */
  problemsOf({ entry: { key }, compiled }: PlacedMapping): Problem[] {
    const isRefusedAnyway = this.#agentRefusal(compiled) !== undefined;
    return compiled.kind === 'wake' || isRefusedAnyway ? [] : this.#session(key, compiled);
  }

  /** An agent or a model that the lists of other keys do not allow: those lists may be what is to be changed. */
  warningsOf({ entry, compiled }: PlacedMapping): Problem[] {
    const model = compiled.kind === 'wake' ? undefined : textOf(compiled.templates.model);
    const key = labelOf(entry);
    return [
      ...problem(key, always('agentId', this.#agentRefusal(compiled))),
      ...problem(key, always('model', this.#modelRefusal(model))),
    ];
  }

  #session(key: string, { options: { agentId }, templates }: CompiledMapping): Problem[] {
    const template = templates.sessionKey;
    const text = textOf(template);
    if (text !== undefined) {
      const refusal = this.#sessionRefusal({ key: text, from: 'mapping' }, agentId);
      return problem(`${key}.sessionKey`, refusal && `${ALWAYS}: ${refusal}`);
    }
    const isDefaultAgent = this.#directory.resolve(agentId) === this.#directory.resolve();
    // The default agent's own use of the default session is reported once, under its key.
    if (template !== undefined || isDefaultAgent) return [];
    const refusal = this.#sessionRefusal(undefined, agentId);
    const message = `needs a sessionKey beside it; in hooks.defaultSessionKey every request is refused: ${refusal}`;
    return problem(`${key}.agentId`, refusal && message);
  }

  #sessionRefusal(named: NamedKey | undefined, agentId: string | undefined): string | undefined {
    return refusalOf(() => {
      this.#sessions.resolve(named, this.#directory.resolve(agentId).id, this.settings);
    });
  }

  #agentRefusal({ options: { agentId } }: CompiledMapping): string | undefined {
    return refusalOf(() => this.#agents.resolve(agentId, this.settings));
  }

  #modelRefusal(model: string | undefined): string | undefined {
    if (model === undefined) return undefined;
    return refusalOf(() => this.#models.resolve(model.trim(), this.settings));
  }
}

/** Agents of which nothing but the id is known. */
class NamedAgents extends AgentDirectory {
  readonly #agents: readonly Agent[];

  constructor(ids: readonly string[]) {
    super();
    this.#agents = ids.map((id) => ({ id, timeoutSeconds: 0 }));
  }

  override resolve(id?: string): Agent {
    const wanted = id?.trim().toLowerCase();
    return this.#agents.find((agent) => agent.id === wanted) ?? this.#agents[0]!;
  }

  override list(): readonly Agent[] {
    return this.#agents;
  }
}

/** The text of a template that no request can change. */
function textOf(template: Template | undefined): string | undefined {
  return template !== undefined && isStatic(template) ? template.literalStart : undefined;
}

function always(field: string, refusal: string | undefined): string | undefined {
  return refusal && `${field} ${ALWAYS}: ${refusal}`;
}

function problem(key: string, message: string | undefined): Problem[] {
  return message === undefined ? [] : [{ key, message }];
}

/** Where other settings are wrong, a policy may break over them; those are reported on their own. */
function refusalOf(ask: () => unknown): string | undefined {
  try {
    ask();
    return undefined;
  } catch (error) {
    return error instanceof Rejection ? error.message.replace(/\.$/u, '') : undefined;
  }
}
