// docs/design/actions.md
import { Inject, Injectable } from '@nestjs/common';
import { approveOpenly, modelIds, toApproval, unaliased, withApprovers } from '../options/index.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import { neutralize } from '../boundary/index.ts';
import {
  CHANNEL_BINDINGS,
  DEFAULT_HOOK_NAME,
  THINKING_LEVELS,
  AgentDirectory,
  Recipients,
  mainSession,
} from '../ports/index.ts';
import type {
  Agent,
  ChannelBindings,
  DeliveryTarget,
  MessageAddress,
  ThinkingLevel,
} from '../ports/index.ts';
import { shorten } from '../../platform/shorten.ts';
import { Rejection } from '../ports/rejection.ts';
import type {
  AgentAction,
  DeliverAction,
  HookAction,
  RequestedMessage,
  RequestedRun,
  RequestedWake,
  WakeAction,
} from './hook-action.ts';
import { SessionPolicy } from './session-policy.ts';

const MAX_NAME_LENGTH = 200;
/** Of a message that goes to a channel as it is rendered, in characters. */
const MAX_MESSAGE_LENGTH = 10_000;
/** Of what runners are given as an environment variable or a header, and channels as an address. */
const MAX_NAMED_LENGTH = 1000;

export interface ResolvedAction<A extends HookAction = HookAction> {
  readonly action: A;
  readonly warnings: readonly string[];
}

export interface ResolvedAgent {
  readonly agent: Agent;
  readonly unknownId?: string;
}

/** Which agent runs: resolved first, then checked, so that an unknown id cannot slip past the allowlist. */
@Injectable()
export class AgentPolicy {
  constructor(private readonly directory: AgentDirectory) {}

  /** The agent of whoever names none. */
  get default(): Agent {
    return this.directory.resolve();
  }

  /** @throws Rejection agent_not_allowed */
  resolve(asked: string | undefined, { hooks }: ResolvedHooksOptions): ResolvedAgent {
    if (asked === undefined) return { agent: this.default };
    const agent = this.directory.resolve(asked);
    if (!isAllowed(agent.id, hooks.allowedAgentIds))
      throw new Rejection('agent_not_allowed', agent.id);
    return agent.id === asked.trim().toLowerCase() ? { agent } : { agent, unknownId: asked };
  }
}

function isAllowed(id: string, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined || allowed.includes('*')) return true;
  return allowed.some((entry) => entry.trim().toLowerCase() === id);
}

/** Whether a run may use the model it names. */
@Injectable()
export class ModelPolicy {
  /** Resolves aliases; checks the allowlist and the configured providers. @throws Rejection model_not_allowed */
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

@Injectable()
export class ActionResolver {
  constructor(
    private readonly agents: AgentPolicy,
    private readonly sessions: SessionPolicy,
    private readonly models: ModelPolicy,
    @Inject(CHANNEL_BINDINGS) private readonly channels: ChannelBindings,
    private readonly recipients: Recipients,
  ) {}

  /** @throws Rejection with what is not allowed; nothing has happened then. */
  wake(requested: RequestedWake, settings: ResolvedHooksOptions): ResolvedAction<WakeAction> {
    const { warnings = [], ...asked } = requested;
    const text = asked.text.trim();
    if (text === '') throw new Rejection('invalid_payload', 'The text of the wake action is empty');
    const { agent, unknownId } = this.agents.resolve(asked.agentId, settings);
    const action: WakeAction = {
      ...asked,
      kind: 'wake',
      text,
      mode: asked.mode ?? 'now',
      agentId: agent.id,
    };
    return { action, warnings: [...warnings, ...unknownAgentWarning(unknownId, agent.id)] };
  }

  /** @throws Rejection with what is not allowed; nothing has happened then. */
  async run(
    requested: RequestedRun,
    settings: ResolvedHooksOptions,
  ): Promise<ResolvedAction<AgentAction>> {
    if (requested.message.trim() === '') {
      throw new Rejection('invalid_payload', 'The message of the agent action is empty');
    }
    const {
      warnings = [],
      deliver,
      channel,
      to,
      toFrom = 'request',
      allowLinks,
      isUrgent,
      approve,
      provider,
      isOpen,
      ...asked
    } = requested;
    assertBounded({
      agentId: asked.agentId,
      model: asked.model,
      to,
      sessionKey: asked.sessionKey?.key,
    });
    const { agent, unknownId } = this.agents.resolve(asked.agentId, settings);
    const { model, warning } = this.#model(asked.model, agent.model, settings);
    const { sessionMode = 'isolated' } = asked;
    const isAlone = asked.sessionKey === undefined && sessionMode === 'isolated';
    const target = toTarget({ channel, provider, to, toFrom, allowLinks, isUrgent });
    const acknowledged = deliver === false ? undefined : this.#acknowledgedAt(target);
    const action: AgentAction = {
      ...asked,
      kind: 'agent',
      name: toOneLine(asked.name),
      agentId: agent.id,
      task: asked.task ?? settings.agents.defaults.task,
      unknownAgentId: unknownId,
      sessionKey: this.sessions.resolve(asked.sessionKey, agent.id, settings),
      sessionMode,
      isAlone,
      // Of a conversation, a reply may repeat what others said.
      exposeReply: (isAlone && asked.exposeReply === true) || undefined,
      wakeMode: asked.wakeMode ?? settings.hooks.defaults.wakeMode ?? 'now',
      model,
      ...(asked.model === undefined && { isAgentsModel: true }),
      thinking: parseThinking(asked.thinking) ?? agent.thinking,
      timeoutSeconds: asked.timeoutSeconds ?? agent.timeoutSeconds,
      approve: toApproval(
        withApprovers(
          isOpen === true ? approveOpenly(approve, agent.approve) : approve,
          agent.approve ?? false,
        ),
        asked.trust,
        sessionMode,
      ),
      deliver: deliver === false ? null : target,
      ...(acknowledged !== undefined && { acknowledged }),
    };
    const own = warning === undefined ? [] : [warning];
    const unserved = action.deliver === null ? [] : await this.#unserved(action.deliver, agent.id);
    return {
      action,
      warnings: [...warnings, ...own, ...unserved, ...unknownAgentWarning(unknownId, agent.id)],
    };
  }

  /** No agent has a part in it, so it never becomes where one last spoke. @throws Rejection: nothing happened then */
  async message(requested: RequestedMessage): Promise<ResolvedAction<DeliverAction>> {
    const {
      warnings = [],
      channel,
      to,
      allowLinks,
      isUrgent,
      message,
      name,
      trust,
      dedupeKey,
    } = requested;
    if (message.trim() === '') {
      throw new Rejection('invalid_payload', 'The message of the deliver action is empty');
    }
    assertBounded({ to });
    const agent = this.agents.default;
    const target = toTarget({ channel, to, toFrom: 'content', allowLinks, isUrgent });
    const isCut = message.length > MAX_MESSAGE_LENGTH;
    const cut = `the message is delivered without what is behind its first ${MAX_MESSAGE_LENGTH} characters`;
    const shown = shorten(message, MAX_MESSAGE_LENGTH);
    const action: DeliverAction = {
      kind: 'deliver',
      message: trust.level === 'trusted' ? shown : neutralize(shown),
      name: toOneLine(name),
      deliver: target,
      address: await this.recipients.find(target, mainSession(agent.id)),
      agentId: agent.id,
      trust,
      dedupeKey,
    };
    const unserved = await this.#unserved(target, agent.id);
    const all = [...warnings, ...(isCut ? [cut] : []), ...unserved];
    return { action, warnings: all };
  }

  /** The run is accepted all the same: its summary and its heartbeat need no channel. */
  async #unserved(target: DeliveryTarget, agentId: string): Promise<readonly string[]> {
    const { provider, to } = target;
    if (provider !== undefined && to === undefined) {
      return ['the payload does not say where it came from, so the reply cannot be delivered'];
    }
    const channel = await this.recipients.unserved(target, mainSession(agentId));
    if (channel === null) return [];
    return [`${channel} has no provider, so the reply cannot be delivered`];
  }

  /** Where a run's event came from, if its reply goes there by a channel that shows at once that it was heard. */
  #acknowledgedAt(target: DeliveryTarget): MessageAddress | undefined {
    const address = this.recipients.atSource(target);
    if (address === null) return undefined;
    return this.channels[address.channel]?.provider.acknowledge && address;
  }

  /** Whether a text that an event brings is a message of ours. @param provider of the channels that speak where it came from */
  isOwn(provider: string, text: string): boolean {
    return this.recipients.isOwn(provider, text);
  }

  serves(provider: string): boolean {
    return this.recipients.serves(provider);
  }

  /** A model that the request names is checked; the operator's own choice for the agent is not. */
  #model(
    asked: string | undefined,
    configured: string | undefined,
    settings: ResolvedHooksOptions,
  ): { model?: string; warning?: string } {
    if (asked !== undefined) return this.models.resolve(asked, settings);
    return configured === undefined ? {} : { model: this.models.unalias(configured, settings) };
  }
}

function toTarget({
  channel = 'last',
  provider,
  to,
  toFrom,
  allowLinks,
  isUrgent,
}: Partial<DeliveryTarget>): DeliveryTarget {
  return {
    channel,
    ...(provider !== undefined && { provider }),
    ...(to !== undefined && { to }),
    ...((to !== undefined || channel !== 'last') && { toFrom }),
    ...(allowLinks === true && { allowLinks: true }),
    ...(isUrgent === true && { isUrgent: true }),
  };
}

function unknownAgentWarning(unknownId: string | undefined, id: string): readonly string[] {
  return unknownId === undefined ? [] : [`unknown agentId, the default agent ${id} takes it`];
}

/** @throws Rejection invalid_payload naming what is too long, whoever made it. */
function assertBounded(named: Readonly<Record<string, string | undefined>>): void {
  for (const [field, value = ''] of Object.entries(named)) {
    if (value.length <= MAX_NAMED_LENGTH) continue;
    throw new Rejection(
      'invalid_payload',
      `${field} must have at most ${MAX_NAMED_LENGTH} characters`,
    );
  }
}

/** @throws Rejection invalid_payload for a level that does not exist. */
function parseThinking(given: string | undefined): ThinkingLevel | undefined {
  if (given === undefined) return undefined;
  const level = THINKING_LEVELS.find((known) => known === given);
  if (level !== undefined) return level;
  throw new Rejection('invalid_payload', `thinking must be one of ${THINKING_LEVELS.join(', ')}`);
}

/** Names reach summaries and lists: one line, no control characters, at most 200 characters. */
function toOneLine(name: string | undefined): string {
  const line = (name ?? '')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .replace(/[\ud800-\udbff]$/u, '');
  return line === '' ? DEFAULT_HOOK_NAME : line;
}
