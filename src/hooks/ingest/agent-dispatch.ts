import { Injectable } from '@nestjs/common';
import type { AgentAction, WakeAction } from '../accept/hook-action.ts';
import type { ResolvedHooksOptions, WakeMode } from '../options/index.ts';
import { DEFAULT_HOOK_NAME, THINKING_LEVELS } from '../ports/index.ts';
import type { ChannelId, ThinkingLevel, Trust } from '../ports/index.ts';
import { Rejection } from '../rejections/index.ts';
import { AgentPolicy } from './policy/agent-policy.ts';
import { ModelPolicy } from './policy/model-policy.ts';
import { SessionPolicy } from './policy/session-policy.ts';
import type { NamedKey } from './policy/session-policy.ts';

const MAX_NAME_LENGTH = 200;

/** What a request or a mapping asks for, before any policy. */
export interface AgentWish {
  readonly message: string;
  readonly name?: string;
  readonly instructions?: string;
  readonly source: string;
  readonly agentId?: string;
  readonly sessionKey?: NamedKey;
  readonly sessionMode?: 'isolated' | 'persistent';
  readonly wakeMode?: WakeMode;
  readonly deliver?: boolean;
  readonly channel?: ChannelId | 'last';
  readonly to?: string;
  /** True: content made `to`; it never becomes the last route. */
  readonly isToFromContent?: boolean;
  readonly allowLinks?: boolean;
  readonly model?: string;
  readonly thinking?: string;
  readonly timeoutSeconds?: number;
  readonly trust: Trust;
  readonly dedupeKey?: string;
  /** What its sender should be told of how it was made. */
  readonly warnings?: readonly string[];
}

export interface WakeWish {
  readonly text: string;
  readonly mode?: WakeMode;
  readonly agentId?: string;
  readonly trust: Trust;
  readonly dedupeKey?: string;
  /** What its sender should be told of how it was made. */
  readonly warnings?: readonly string[];
}

/** An action that passed every policy, and what its sender should be told. */
export interface Dispatched<A> {
  readonly action: A;
  readonly warnings: readonly string[];
}

/** Turns what was asked for into an action: the one place where agent, session and model are decided. */
@Injectable()
export class AgentDispatch {
  constructor(
    private readonly agents: AgentPolicy,
    private readonly sessions: SessionPolicy,
    private readonly models: ModelPolicy,
  ) {}

  /** @throws Rejection with what is not allowed; nothing has happened then. */
  agent(wish: AgentWish, settings: ResolvedHooksOptions): Dispatched<AgentAction> {
    if (wish.message.trim() === '') {
      throw new Rejection('invalid_payload', 'The message of the agent action is empty');
    }
    const { agent, unknownId } = this.agents.resolve(wish.agentId, settings);
    const sessionKey = this.sessions.resolve(wish.sessionKey, agent.id, settings);
    const { model, warning } = this.#model(wish.model, agent.model, settings);
    const thinking = thinkingLevel(wish.thinking) ?? agent.thinking;
    const action: AgentAction = {
      kind: 'agent',
      message: wish.message,
      name: oneLine(wish.name),
      source: wish.source,
      agentId: agent.id,
      sessionKey,
      sessionMode: wish.sessionMode ?? 'isolated',
      wakeMode: wish.wakeMode ?? 'now',
      timeoutSeconds: wish.timeoutSeconds ?? agent.timeoutSeconds,
      deliver: deliverOrder(wish),
      trust: wish.trust,
      instructions: wish.instructions,
      unknownAgentId: unknownId,
      model,
      thinking,
      dedupeKey: wish.dedupeKey,
    };
    const fallback = unknownId === undefined ? undefined : unknownAgentWarning(agent.id);
    const own = [warning, fallback].filter((text) => text !== undefined);
    return { action, warnings: [...(wish.warnings ?? []), ...own] };
  }

  /** @throws Rejection with what is not allowed; nothing has happened then. */
  wake(wish: WakeWish, settings: ResolvedHooksOptions): Dispatched<WakeAction> {
    const text = wish.text.trim();
    if (text === '') throw new Rejection('invalid_payload', 'The text of the wake action is empty');
    const { agent, unknownId } = this.agents.resolve(wish.agentId, settings);
    const action: WakeAction = {
      kind: 'wake',
      text,
      mode: wish.mode ?? 'now',
      agentId: agent.id,
      trust: wish.trust,
      dedupeKey: wish.dedupeKey,
    };
    const own = unknownId === undefined ? [] : [unknownAgentWarning(agent.id)];
    return { action, warnings: [...(wish.warnings ?? []), ...own] };
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

function unknownAgentWarning(id: string): string {
  return `unknown agentId, the default agent ${id} takes it`;
}

function thinkingLevel(given: string | undefined): ThinkingLevel | undefined {
  if (given === undefined) return undefined;
  const level = THINKING_LEVELS.find((known) => known === given);
  if (level !== undefined) return level;
  throw new Rejection('invalid_payload', `thinking must be one of ${THINKING_LEVELS.join(', ')}`);
}

/** Names reach summaries and story lists: one line, no control characters, at most 200 characters. */
function oneLine(name: string | undefined): string {
  const line = (name ?? '')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .replace(/[\ud800-\udbff]$/u, '');
  return line === '' ? DEFAULT_HOOK_NAME : line;
}

function deliverOrder(wish: AgentWish): AgentAction['deliver'] {
  if (wish.deliver === false) return null;
  return {
    channel: wish.channel ?? 'last',
    toFrom: wish.isToFromContent === true ? 'content' : 'named',
    to: wish.to,
    ...(wish.allowLinks === true && { allowLinks: true }),
  };
}
