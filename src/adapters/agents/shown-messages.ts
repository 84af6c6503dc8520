import type { ModelMessage } from 'ai';

import type { AgentTurn } from '../../hooks/ports/agent-runner.ts';

// What was said and done in this turn stays, so that no tool is called twice (docs/design/agents.md).

/** Bytes of UTF-8 to a token, for what has to fit: JSON and code have about as many, a Chinese character is one. */
const BYTES_PER_TOKEN = 3;
/** Of a window, for the answer, unless the turn says how long that may be; at most half in any case. */
const ANSWER_SHARE = 4;

/** How many tokens a text has, rather too many than too few. What a message holds of files is not counted. */
export function tokensOf(value: unknown): number {
  const text = JSON.stringify(value, (_key, part: unknown) => (isFile(part) ? '' : part)) ?? '';
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

function isFile(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'type' in part && part.type === 'file';
}

interface PastTurn {
  readonly messages: ModelMessage[];
  tokens: number;
}

export class ShownMessages {
  readonly #past: PastTurn[] = [];
  /** The prompt, and what was said since. */
  #present: ModelMessage[];
  readonly #turn: AgentTurn;
  readonly #beside: number;
  #window: number | undefined;
  #prompt: string;
  #left = 0;
  #isHalved = false;

  /** @param beside tokens of the instructions and of the tools' descriptions. */
  constructor(turn: AgentTurn, messages: readonly ModelMessage[], beside: number) {
    this.#turn = turn;
    this.#beside = beside;
    this.#prompt = turn.prompt;
    const isFresh = turn.resumed === undefined && turn.prompt !== '';
    this.#present = isFresh ? messages.slice(-1) : [...messages];
    if (!isFresh) return;
    for (const message of messages.slice(0, -1)) {
      const last = this.#past.at(-1);
      if (message.role === 'user' || last === undefined)
        this.#past.push({ messages: [message], tokens: tokensOf(message) });
      else {
        last.messages.push(message);
        last.tokens += tokensOf(message);
      }
    }
  }

  get messages(): ModelMessage[] {
    return [...this.#past.flatMap(({ messages }) => messages), ...this.#present];
  }

  get tokens(): number {
    return this.#pastTokens + tokensOf(this.#present) + this.#beside;
  }

  get #pastTokens(): number {
    return this.#past.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  /** Most tokens of the answer. Undefined: as many as the provider lets it. */
  get maxOutputTokens(): number | undefined {
    const { maxOutputTokens } = this.#turn;
    if (maxOutputTokens === undefined || this.#window === undefined) return maxOutputTokens;
    return Math.min(maxOutputTokens, Math.floor(this.#window / 2));
  }

  get remarks(): readonly string[] {
    const full = "the model's window is full";
    const turns = this.#left === 1 ? '1 earlier turn was' : `${this.#left} earlier turns were`;
    const { length } = this.#turn.prompt;
    return [
      ...(this.#left === 0 ? [] : [`${turns} left out: ${full}.`]),
      ...(this.#prompt.length === length
        ? []
        : [
            `The prompt was shortened from ${length} to ${this.#prompt.length} characters: ${full}.`,
          ]),
    ];
  }

  fit(window: number | undefined): void {
    this.#window = window;
    const over = this.#leaveOldest();
    if (over <= 0) return;
    const tokens = tokensOf(this.#prompt);
    this.#shorten((this.#prompt.length * Math.max(tokens - over, 0)) / tokens);
  }

  next(messages: readonly ModelMessage[]): void {
    this.#present = messages.slice(this.messages.length - this.#present.length);
    this.#leaveOldest();
  }

  /** Leaves out half of the past, all, then three quarters of the prompt each time. @returns false: no more to leave */
  less(limit: number | undefined): boolean {
    const before = this.tokens;
    if (limit !== undefined) this.fit(limit);
    if (this.tokens < before) return true;
    if (this.#past.length === 0) return this.#shorten(this.#prompt.length / 4);
    const most = this.#isHalved ? 0 : this.#pastTokens / 2;
    this.#isHalved = true;
    while (this.#pastTokens > most) this.#leave();
    return true;
  }

  /** Leaves out the turns that have no room. @returns how many tokens are too many without them */
  #leaveOldest(): number {
    if (this.#window === undefined) return 0;
    const answer = this.maxOutputTokens ?? Math.floor(this.#window / ANSWER_SHARE);
    let over = this.tokens - (this.#window - answer);
    while (over > 0 && this.#past.length > 0) over -= this.#leave();
    return over;
  }

  #leave(): number {
    this.#left += 1;
    return this.#past.shift()?.tokens ?? 0;
  }

  #shorten(characters: number): boolean {
    if (this.#turn.resumed !== undefined) return false;
    const shorter = this.#turn.shorten?.(Math.floor(characters));
    if (shorter === undefined) return false;
    this.#prompt = shorter;
    this.#present = [{ role: 'user', content: shorter }, ...this.#present.slice(1)];
    return true;
  }
}
