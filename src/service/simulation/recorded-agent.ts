import { hash } from 'node:crypto';
import { AgentError, AgentRunner, withoutMarkerIds } from '../../hooks/index.ts';
import type { AgentReply, AgentTurn, Clock, RunStatus, TokenUsage } from '../../hooks/index.ts';

/** What an agent has said to a prompt once. */
interface Answer {
  readonly eventId: string;
  readonly status: RunStatus;
  readonly model: string | null;
  readonly reply: string;
  readonly error: string | null;
  readonly usage: TokenUsage | null;
  readonly ms: number;
}

/** A run as a ledger has it. */
interface Recorded extends Omit<Answer, 'reply'> {
  readonly agentId: string;
  readonly prompt: string | null;
  readonly reply: string | null;
}

/** A turn that was taken in a simulation. */
export interface TakenTurn {
  readonly runId: string;
  /** Without what is drawn anew each time. */
  readonly prompt: string;
  readonly model: string | undefined;
  /** Null: there is none in the record, or whoever answered did not know. */
  readonly usage: TokenUsage | null;
  /** False: nobody has answered this prompt. */
  readonly isKnown: boolean;
}

/** What stands for the reply that nobody has written. */
export const UNKNOWN_REPLY = 'unknown';

/** So many answers are remembered; those that came first go. Of each only what a simulation needs. */
const MOST_ANSWERS = 200_000;

/** What agents have said, by agent and prompt. Both sides of a comparison are answered from one of these. */
export class RecordedAnswers {
  readonly #answers = new Map<string, Answer[]>();
  #count = 0;

  add({ agentId, prompt, reply, ...run }: Recorded): void {
    const hasEnded = ['succeeded', 'failed', 'timed-out'].includes(run.status);
    if (prompt === null || !hasEnded || this.#count >= MOST_ANSWERS) return;
    const key = keyOf(agentId, withoutMarkerIds(prompt));
    const known = this.#answers.get(key);
    const answer = { ...run, reply: reply ?? '' };
    if (known === undefined) this.#answers.set(key, [answer]);
    else known.push(answer);
    this.#count += 1;
  }

  /** The one of the same event, if it has one. Another model's is none. */
  find(
    { agent, prompt, model }: Pick<AgentTurn, 'agent' | 'model'> & { readonly prompt: string },
    eventId: string,
  ): Answer | undefined {
    const all = (this.#answers.get(keyOf(agent.id, prompt)) ?? []).filter((answer) =>
      isOf(answer.model, model),
    );
    return all.find((answer) => answer.eventId === eventId) ?? all[0];
  }
}

/** Answers from the record, after the time that it took, and asks nobody. */
export class RecordedAgent extends AgentRunner {
  constructor(
    private readonly answers: RecordedAnswers | null,
    private readonly clock: Clock,
    private readonly eventOf: (runId: string) => string,
    private readonly taken: (turn: TakenTurn) => void,
  ) {
    super();
  }

  override mayRepeat(): boolean {
    return true;
  }

  override async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    const { id: runId, model } = turn;
    const prompt = withoutMarkerIds(turn.prompt);
    const answer = this.answers?.find({ ...turn, prompt }, this.eventOf(runId));
    const usage = answer?.usage ?? null;
    this.taken({ runId, prompt, model, usage, isKnown: answer !== undefined });
    if (answer === undefined) return { text: this.answers === null ? '' : UNKNOWN_REPLY };
    await this.clock.wait(answer.ms, signal);
    if (answer.status !== 'succeeded') {
      throw new AgentError(answer.error ?? 'it failed', 'permanent');
    }
    return { text: answer.reply, ...(usage !== null && { usage }) };
  }
}

/** Whether a model that answered is the one that is asked; it may be named with its provider or without. */
function isOf(recorded: string | null, asked: string | undefined): boolean {
  if (asked === undefined || asked === 'auto') return true;
  const bare = (name: string) => name.slice(name.indexOf('/') + 1);
  return recorded !== null && bare(recorded) === bare(asked);
}

/** A digest: many prompts are long. */
function keyOf(agentId: string, prompt: string): string {
  return hash('sha256', `${agentId}\n${prompt}`, 'base64');
}
