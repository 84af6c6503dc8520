import { asLine } from './foreign-text.ts';
import { cut } from './table.ts';
import type { Terminal } from './terminal.ts';

const ERASE_LINE = '\r\u001b[2K';

/** One line on stderr that is written over and over; nothing where stderr is no terminal. */
export class Progress implements Disposable {
  readonly #terminal: Terminal;
  #shown = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** @param text may be foreign. */
  show(text: string): void {
    const { stderr } = this.#terminal.streams;
    // One column stays free: a full line would break, and the next could not write over it.
    const line = cut(asLine(text), this.#terminal.columns - 1);
    if (!stderr.isTTY || line === this.#shown) return;
    this.#shown = line;
    stderr.write(`${ERASE_LINE}${line}`);
  }

  [Symbol.dispose](): void {
    if (this.#shown !== '') this.#terminal.streams.stderr.write(ERASE_LINE);
  }
}
