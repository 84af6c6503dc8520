// docs/design/agents.md
import type { SessionContext } from '../ports/index.ts';

/** Characters of a text that are always shown: a shorter beginning says nothing. */
const LEAST = 1000;

type Render = (session: SessionContext | null, most?: number) => string;

/**
 * What a turn is shown. Where that is more than the model's window has room for: fewer of the lines that wait in the
 * session, which the next turn is shown, and then of each text from outside its beginning. The task and all else that the
 * operator wrote stay whole.
 */
export class ShownTurn {
  prompt: string;
  session: SessionContext | null;
  readonly #render: Render;
  readonly #fewestLines: number;

  /** @param fewestLines that are shown, however long they are */
  constructor(session: SessionContext | null, render: Render, fewestLines = 0) {
    this.session = session;
    this.prompt = render(session);
    this.#render = render;
    this.#fewestLines = fewestLines;
  }

  /** Shows less. @returns the new prompt; undefined: nothing more can be left out */
  readonly shorten = (characters: number): string | undefined => {
    const before = this.prompt;
    this.#leaveLines(characters);
    if (this.prompt.length > characters) this.#cutTexts(characters);
    return this.prompt.length < before.length ? this.prompt : undefined;
  };

  #leaveLines(characters: number): void {
    while (this.session !== null && this.prompt.length > characters) {
      const { pending } = this.session;
      const count = Math.max(Math.floor(pending.length / 2), this.#fewestLines);
      if (count >= pending.length) return;
      this.session = { ...this.session, pending: pending.slice(0, count), hasMore: true };
      this.prompt = this.#render(this.session);
    }
  }

  #cutTexts(characters: number): void {
    let most = characters - this.#render(this.session, 0).length;
    do {
      most = Math.max(most, LEAST);
      const prompt = this.#render(this.session, most);
      if (prompt.length < this.prompt.length) this.prompt = prompt;
      if (most === LEAST) return;
      // Several texts share the room, and a text may become longer when it is made harmless.
      most = Math.floor(most / 2);
    } while (this.prompt.length > characters);
  }
}
