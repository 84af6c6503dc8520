import { AgentRunner, Channel } from '../../src/hooks/ports/index.ts';
import type {
  AgentReply,
  AgentTurn,
  OutgoingMessage,
  ToolCall,
} from '../../src/hooks/ports/index.ts';

export type Journal = string[];

export class RecordingRunner extends AgentRunner {
  readonly turns: AgentTurn[] = [];
  reply: (turn: AgentTurn, signal: AbortSignal) => Promise<string> | string = ({ kind }) =>
    kind === 'run' ? 'the reply' : 'HEARTBEAT_OK';
  extras: Omit<AgentReply, 'text'> = {};
  toolCalls: readonly ToolCall[] = [];
  isSafe = true;

  constructor(private readonly journal: Journal) {
    super();
  }

  override async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    this.turns.push(turn);
    this.journal.push(`${turn.kind} ${turn.sessionKey}`);
    turn.reportToolCalls?.(() => this.toolCalls);
    const text = await this.reply(turn, signal);
    return { ...this.extras, text };
  }

  override mayRepeat(): boolean {
    return this.isSafe;
  }
}

export class RecordingChannel extends Channel {
  override onlyAccepts = false;
  override timeoutMs = 30_000;
  override acknowledge?: Channel['acknowledge'];
  readonly messages: OutgoingMessage[] = [];
  answer: (message: OutgoingMessage, signal: AbortSignal) => Promise<{ messageId?: string }> =
    async () => ({
      messageId: String(this.messages.length),
    });

  constructor(
    private readonly name: string,
    private readonly journal: Journal,
  ) {
    super();
  }

  override async send(
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId?: string }> {
    this.messages.push(message);
    this.journal.push(`deliver ${this.name} ${message.to} ${message.text}`);
    return this.answer(message, signal);
  }
}
