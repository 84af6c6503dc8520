import { AgentRunner, Channel } from '../hooks/index.ts';
import type { AgentReply, AgentTurn, OutgoingMessage } from '../hooks/index.ts';

/**
 * A runner that records every turn and calls no model.
 * @example HooksModule.forRoot({ runner: new RecordingRunner(), … })
 */
export class RecordingRunner extends AgentRunner {
  readonly runs: AgentTurn[] = [];
  readonly heartbeats: AgentTurn[] = [];

  /** @param reply the reply to a run; a heartbeat is always answered `HEARTBEAT_OK`. @default 'done' */
  constructor(
    private readonly reply: (turn: AgentTurn) => string | Promise<string> = () => 'done',
  ) {
    super();
  }

  override async run(turn: AgentTurn): Promise<AgentReply> {
    const isRun = turn.kind === 'run';
    (isRun ? this.runs : this.heartbeats).push(turn);
    return { text: isRun ? await this.reply(turn) : 'HEARTBEAT_OK' };
  }

  override mayRepeat(): boolean {
    return true;
  }
}

/**
 * A channel that records every message and sends none.
 * @example HooksModule.forRoot({ channels: { chan_1: { provider: new RecordingChannel(), to: 'ops' } }, … })
 */
export class RecordingChannel extends Channel {
  readonly deliveries: OutgoingMessage[] = [];

  override async send(message: OutgoingMessage): Promise<{ messageId: string }> {
    const messageId = String(this.deliveries.push(message));
    return { messageId };
  }
}
