import type { LoggerService } from '@nestjs/common';

/** Texts shorter than this also occur where nobody leaked anything. */
const SHORTEST_SECRET = 8;

/** What must never be seen in a log: tokens, and every longer text of every payload that was sent. */
export class Secrets {
  readonly #texts = new Set<string>();

  constructor(...tokens: readonly string[]) {
    for (const token of tokens) this.#texts.add(token);
  }

  addPayload(payload: unknown): void {
    if (typeof payload === 'string') {
      if (payload.trim().length >= SHORTEST_SECRET) this.#texts.add(payload.trim());
    } else if (typeof payload === 'object' && payload !== null) {
      for (const value of Object.values(payload)) this.addPayload(value);
    }
  }

  addToken(token: string): void {
    this.#texts.add(token);
  }

  /** @throws Error naming the first line that holds one of them. */
  assertAbsentFrom(lines: Iterable<string>): void {
    for (const line of lines) {
      const leaked = this.#texts.values().find((text) => line.includes(text));
      if (leaked !== undefined) throw new Error(`a log line holds "${leaked}": ${line}`);
    }
  }
}

export class LineLog implements LoggerService {
  readonly lines: string[] = [];

  log(...message: unknown[]): void {
    this.lines.push(JSON.stringify(message));
  }

  error(...message: unknown[]): void {
    this.log(...message);
  }

  warn(...message: unknown[]): void {
    this.log(...message);
  }
}
