import { Injectable } from '@nestjs/common';
import { hasFence, renderSystemEvents } from '../boundary/index.ts';
import { Conversations } from '../ports/index.ts';
import type { Change, SessionContext, SystemEvent } from '../ports/index.ts';

/** Most system events one turn is shown, and their size in bytes; the rest comes in the next turn. */
const SHOWN = { maxEvents: 200, maxBytes: 100_000 };

/** Most of a transcript that a turn is given; what does not fit is left out from the front, whole messages at a time. */
const MAX_HISTORY_CHARACTERS = 200_000;

/** What a session brings to its next turn. */
export interface SessionInput extends SessionContext {
  /** The waiting system events as the agent sees them; empty for none. */
  readonly shown: string;
  /** Whether foreign text waits, or stands in the transcript. */
  readonly hasUntrusted: boolean;
}

/** Reads sessions for their next turn and writes what the turn left. */
@Injectable()
export class SessionTurns {
  constructor(private readonly conversations: Conversations) {}

  async read(session: string): Promise<SessionInput> {
    const context = await this.conversations.context(session, SHOWN);
    return {
      ...context,
      history: newest(context.history, MAX_HISTORY_CHARACTERS),
      shown: showSystemEvents(context.pending),
      hasUntrusted:
        context.pending.some(({ trust }) => trust.level === 'untrusted') ||
        context.history.some(({ text }) => hasFence(text)),
    };
  }

  /** The turn succeeded: the events it was shown are gone. */
  consumed(session: string, { pending }: SessionInput): readonly Change[] {
    const last = pending.at(-1);
    return last === undefined ? [] : [{ type: 'consume', session, through: last.seq }];
  }

  /** The turn failed for good: the events it was shown stay, and say so. */
  notConsumed(session: string, { pending }: SessionInput): readonly Change[] {
    const last = pending.at(-1);
    return last === undefined ? [] : [{ type: 'heartbeat-failed', session, through: last.seq }];
  }
}

/** The lines as the agent sees them. */
export function showSystemEvents(events: readonly SystemEvent[]): string {
  return renderSystemEvents(events.map(toShown));
}

function newest(history: SessionContext['history'], limit: number): SessionContext['history'] {
  let left = limit;
  return history.slice(history.findLastIndex(({ text }) => (left -= text.length) < 0) + 1);
}

function toShown({ text, at, hook, trust }: SystemEvent) {
  return { text, at, hook, isUntrusted: trust.level === 'untrusted', verifiedBy: trust.verifiedBy };
}
