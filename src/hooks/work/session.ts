import { Injectable } from '@nestjs/common';
import { neutralize, renderSystemEvents } from '../boundary/index.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock, Sessions } from '../ports/index.ts';
import type {
  Agent,
  AgentReply,
  AgentTurn,
  Change,
  SessionContext,
  SystemEvent,
  TurnChange,
} from '../ports/index.ts';

/** Most system events one turn is shown, and their size in bytes; the rest comes in the next turn. */
const SHOWN = { maxEvents: 200, maxBytes: 100_000 };

/** How a transcript is measured against `agents.defaults.historyTokens`: providers count differently, and only afterwards. */
const CHARACTERS_PER_TOKEN = 4;

/** What a session brings to its next turn. */
export interface SessionInput extends SessionContext {
  /** The waiting system events as the agent sees them; empty for none. */
  readonly shown: string;
}

/** What a session keeps of a turn, beside its reply. */
type KeptTurn = Pick<AgentTurn, 'agent' | 'sessionKey' | 'prompt' | 'contract'>;

/** Reads sessions for their next turn, and says what a turn left in them. */
@Injectable()
export class SessionStore {
  constructor(
    private readonly sessions: Sessions,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** @param session full key. */
  async read(session: string): Promise<SessionInput> {
    const { historyTokens } = this.settings.current.agents.defaults;
    const maxHistoryCharacters = historyTokens * CHARACTERS_PER_TOKEN;
    const context = await this.sessions.context(session, { ...SHOWN, maxHistoryCharacters });
    const { pending, history } = context;
    const isUntrusted = context.isUntrusted || pending.some((line) => isForeign(line));
    return {
      ...context,
      history: neutralReplies(history),
      isUntrusted,
      shown: showSystemEvents(pending),
    };
  }

  /** The turn succeeded: the session remembers it, and the events it was shown are gone. */
  continueWith(turn: KeptTurn, reply: AgentReply, { pending }: SessionInput): readonly Change[] {
    const { sessionKey: session, agent } = turn;
    const last = pending.at(-1);
    const id = reply.runnerSession;
    const runnerSession = id === undefined ? undefined : { runner: runnerIdentity(agent), id };
    return [
      ...(last === undefined ? [] : [{ type: 'consume', session, through: last.seq } as const]),
      { ...this.#turnChange(turn, reply), replace: false, runnerSession },
    ];
  }

  /** The turn succeeded, and nothing else stands under its key. */
  restartWith(turn: KeptTurn, reply: AgentReply): readonly Change[] {
    return [{ ...this.#turnChange(turn, reply), replace: true }];
  }

  /** The heartbeat failed for good: the events it was shown stay, and say so. */
  keepEvents(session: string, { pending }: SessionInput): readonly Change[] {
    const last = pending.at(-1);
    return last === undefined ? [] : [{ type: 'heartbeat-failed', session, through: last.seq }];
  }

  #turnChange(
    { sessionKey: session, prompt, contract }: KeptTurn,
    { text: reply }: AgentReply,
  ): Omit<TurnChange, 'replace'> {
    const isUntrusted = contract.trust === 'untrusted';
    return { type: 'turn', session, at: this.clock.now(), prompt, reply, isUntrusted };
  }
}

/**
 * A prompt was neutralised when it was made; what the agent made of it was not, and foreign text can get a model to put
 * together what it may not say itself (docs/decisions/0095-agents-use-the-boundary.md).
 */
function neutralReplies(history: SessionContext['history']): SessionContext['history'] {
  return history.map((message) =>
    message.role === 'user' ? message : { ...message, text: neutralize(message.text) },
  );
}

/** The lines as the agent sees them. */
export function showSystemEvents(events: readonly SystemEvent[]): string {
  return renderSystemEvents(
    events.map((event) => {
      const { text, at, hook, trust } = event;
      return { text, at, hook, isUntrusted: isForeign(event), verifiedBy: trust.verifiedBy };
    }),
  );
}

/** The runner's own id of the session, if what runs the agent's turns now is what returned it. */
export function runnerSessionFor(agent: Agent, session: SessionInput | null): string | undefined {
  const known = session?.runnerSession;
  return known?.runner === runnerIdentity(agent) ? known.id : undefined;
}

/** Names what runs an agent's turns: another program, or the same one elsewhere, has other conversations. */
function runnerIdentity({ runner, workspace = '' }: Agent): string {
  const what = runner === undefined ? 'model' : runner.type;
  const command = runner?.type === 'command' ? runner.command : '';
  const url = runner?.type === 'http' ? runner.baseUrl : '';
  return JSON.stringify([what, command, url, workspace]);
}

function isForeign({ trust }: SystemEvent): boolean {
  return trust.level === 'untrusted';
}
