import { Injectable } from '@nestjs/common';
import { neutralize, renderSystemEvents } from '../boundary/index.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock, DELIVERY_WAIT_MS, Sessions } from '../ports/index.ts';
import type {
  Agent,
  AgentReply,
  AgentTurn,
  Change,
  SessionContext,
  SystemEvent,
  TurnChange,
} from '../ports/index.ts';
import { messageOf } from './acknowledgement.ts';
import { deliveryNote, shortSummary } from './summary.ts';

/** Most system events one turn is shown, and their size in bytes; the rest comes in the next turn. */
const SHOWN = { maxEvents: 200, maxBytes: 100_000, maxHoldMs: DELIVERY_WAIT_MS };

/** How a transcript is measured against `agents.defaults.historyTokens`: providers count differently, and only afterwards. */
const CHARACTERS_PER_TOKEN = 4;

type KeptTurn = Pick<AgentTurn, 'agent' | 'sessionKey' | 'prompt' | 'contract'>;

@Injectable()
export class SessionStore {
  constructor(
    private readonly sessions: Sessions,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** @param session full key. */
  read(session: string): Promise<SessionContext> {
    return this.#read(session, this.settings.current.agents.defaults.historyTokens);
  }

  /**
   * For a turn about what is new: of the past no more than `agents.defaults.heartbeat.historyTokens`, and no turn in
   * which nothing was said.
   */
  async readNews(session: string): Promise<SessionContext> {
    const { historyTokens, heartbeat } = this.settings.current.agents.defaults;
    const input = await this.#read(session, Math.min(historyTokens, heartbeat.historyTokens));
    return { ...input, history: withoutAcknowledged(input.history) };
  }

  async #read(session: string, historyTokens: number): Promise<SessionContext> {
    const maxHistoryCharacters = historyTokens * CHARACTERS_PER_TOKEN;
    const context = await this.sessions.context(session, { ...SHOWN, maxHistoryCharacters });
    const { pending, history } = context;
    const isUntrusted = context.isUntrusted || pending.some((line) => isForeign(line));
    return { ...context, history: neutralReplies(history), isUntrusted };
  }

  /** @param ofEvents whose words the turn was asked with; none: nobody asked for it but what waited */
  continueWith(
    turn: KeptTurn,
    reply: AgentReply,
    input: SessionContext,
    ofEvents: readonly string[] = [],
  ): readonly Change[] {
    const { sessionKey: session, agent } = turn;
    const shown = shownRange(session, input);
    const id = reply.runnerSession;
    const runnerSession = id === undefined ? undefined : { runner: runnerIdentity(agent), id };
    const events = [...ofEvents, ...input.pending.map(({ eventId }) => eventId)];
    return [
      ...(shown === null ? [] : [{ type: 'consume', ...shown } as const]),
      { ...this.#turnChange(turn, reply, events), isIsolated: false, runnerSession },
    ];
  }

  /** The turn succeeded, and stands for itself: no conversation reads it, ends with it or is continued by it. */
  keepAlone(turn: KeptTurn, reply: AgentReply, ofEvents: readonly string[]): readonly Change[] {
    return [{ ...this.#turnChange(turn, reply, ofEvents), isIsolated: true }];
  }

  /** The heartbeat failed for good: the events it was shown stay, and say so. */
  keepEvents(session: string, input: SessionContext): readonly Change[] {
    const shown = shownRange(session, input);
    return shown === null ? [] : [{ type: 'heartbeat-failed', ...shown }];
  }

  #turnChange(
    { sessionKey: session, prompt, contract }: KeptTurn,
    { text: reply }: AgentReply,
    shown: readonly (string | undefined)[],
  ): Omit<TurnChange, 'isIsolated'> {
    const isUntrusted = contract.trust === 'untrusted';
    const events = [...new Set(shown.filter((id) => id !== undefined))];
    return { type: 'turn', session, at: this.clock.now(), prompt, reply, isUntrusted, events };
  }
}

/**
 * A prompt was neutralised when it was made; what the agent made of it was not, and foreign text can get a model to put
 * together what it may not say itself (docs/design/agents.md).
 */
function neutralReplies(history: SessionContext['history']): SessionContext['history'] {
  return history.map((message) =>
    message.role === 'user' ? message : { ...message, text: neutralize(message.text) },
  );
}

/** Prompt and reply stand behind each other. */
function withoutAcknowledged(history: SessionContext['history']): SessionContext['history'] {
  const isSaid = (reply = '') => messageOf(reply, 0).reason === undefined;
  return history.filter(({ role, text }, at) =>
    isSaid(role === 'assistant' ? text : history[at + 1]?.text),
  );
}

function shownRange(session: string, { pending, held }: SessionContext) {
  const last = pending.at(-1);
  if (last === undefined) return null;
  return { session, through: last.seq, ...(held.length > 0 && { except: held }) };
}

/** What a person has already is shown by its beginning. @param most characters that are shown of each. Default: all */
export function showSystemEvents(events: readonly SystemEvent[], most?: number): string {
  const lines = events.map((event) => {
    const { text, at, hook, trust, delivery } = event;
    const line = { at, hook, isUntrusted: isForeign(event), verifiedBy: trust.verifiedBy };
    if (delivery === undefined) return { ...line, text };
    const isKnown = delivery.status === 'delivered' || delivery.status === 'accepted';
    return { ...line, text: isKnown ? shortSummary(text) : text, note: deliveryNote(delivery) };
  });
  return renderSystemEvents(lines, most);
}

/** The runner's own id of the session, if what runs the agent's turns now is what returned it. */
export function runnerSessionFor(agent: Agent, session: SessionContext | null): string | undefined {
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
