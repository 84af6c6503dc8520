import { ROUNDS as ALL } from '../support/rounds.ts';

/** How long each scenario goes on. */
export const ROUNDS = 5 * ALL;

/** Writes a figure that docs/reliability.md quotes, without the frame that Jest puts around `console`. */
export function tell(figures: string): void {
  process.stderr.write(`  ${figures}\n`);
}

/** What is under way in five kills in a row is given up: a suite of other things lets it end after every fourth. */
export const KILLS_IN_A_ROW = 4;
