import { Injectable } from '@nestjs/common';
import { renderSystemEvents } from '../boundary/index.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock, Conversations } from '../ports/index.ts';
import type {
  Agent,
  AgentReply,
  Change,
  RunnerSession,
  SessionContext,
  SystemEvent,
} from '../ports/index.ts';
import type { PlannedTurn } from './planned-turn.ts';

/** Most system events one turn is shown, and their size in bytes; the rest comes in the next turn. */
const SHOWN = { maxEvents: 200, maxBytes: 100_000 };

/** How a transcript is measured against `agents.defaults.historyTokens`: providers count differently, and only afterwards. */
const CHARACTERS_PER_TOKEN = 4;

/** What a session brings to its next turn. */
export interface SessionInput extends SessionContext {
  /** The waiting system events as the agent sees them; empty for none. */
  readonly shown: string;
}

/** Reads sessions for their next turn and writes what the turn left. */
@Injectable()
export class SessionTurns {
  constructor(
    private readonly conversations: Conversations,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  async read(session: string): Promise<SessionInput> {
    const { historyTokens } = this.settings.current.agents.defaults;
    const maxHistoryCharacters = historyTokens * CHARACTERS_PER_TOKEN;
    const context = await this.conversations.context(session, { ...SHOWN, maxHistoryCharacters });
    const { pending } = context;
    const isUntrusted = context.isUntrusted || pending.some((line) => isForeign(line));
    return { ...context, isUntrusted, shown: showSystemEvents(pending) };
  }

  /** The turn succeeded: the session remembers it, and the events it was shown are gone. */
  continued({ sessionKey: session, ...turn }: PlannedTurn, reply: AgentReply, input: SessionInput) {
    const runnerSession = runnerSessionOf(turn.agent, reply);
    return [
      ...consumed(session, input),
      { ...this.#turn(session, turn, reply), replace: false, runnerSession },
    ] satisfies readonly Change[];
  }

  /** The turn succeeded, and nothing else stands under its key. */
  begunAnew({ sessionKey: session, ...turn }: PlannedTurn, reply: AgentReply): readonly Change[] {
    return [{ ...this.#turn(session, turn, reply), replace: true }];
  }

  /** The turn failed for good: the events it was shown stay, and say so. */
  notConsumed(session: string, { pending }: SessionInput): readonly Change[] {
    const last = pending.at(-1);
    return last === undefined ? [] : [{ type: 'heartbeat-failed', session, through: last.seq }];
  }

  #turn(
    session: string,
    { prompt, contract }: Pick<PlannedTurn, 'prompt' | 'contract'>,
    { text: reply }: AgentReply,
  ) {
    const isUntrusted = contract.trust === 'untrusted';
    return { type: 'turn', session, at: this.clock.now(), prompt, reply, isUntrusted } as const;
  }
}

/** The lines as the agent sees them. */
export function showSystemEvents(events: readonly SystemEvent[]): string {
  return renderSystemEvents(events.map(toShown));
}

/** Names what runs an agent's turns: another program, or the same one elsewhere, has other conversations. */
export function runnerOf({ runner, workspace = '' }: Agent): string {
  const what = runner === undefined ? 'model' : runner.type;
  const command = runner?.type === 'command' ? runner.command : '';
  const url = runner?.type === 'http' ? runner.baseUrl : '';
  return JSON.stringify([what, command, url, workspace]);
}

function runnerSessionOf(agent: Agent, { runnerSession: id }: AgentReply) {
  return id === undefined ? undefined : ({ runner: runnerOf(agent), id } satisfies RunnerSession);
}

function consumed(session: string, { pending }: SessionInput): readonly Change[] {
  const last = pending.at(-1);
  return last === undefined ? [] : [{ type: 'consume', session, through: last.seq }];
}

function isForeign({ trust }: SystemEvent): boolean {
  return trust.level === 'untrusted';
}

function toShown({ text, at, hook, trust }: SystemEvent) {
  return { text, at, hook, isUntrusted: trust.level === 'untrusted', verifiedBy: trust.verifiedBy };
}
