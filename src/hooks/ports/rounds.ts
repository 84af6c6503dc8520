/**
 * Header with the number of runs in a row that led to a message, each by its reply to the one before; 1 for the reply
 * to an event that names none.
 */
export const ROUND_HEADER = 'hooks-round';

/** So many rounds begin unasked; a run of a later one waits for a person, a message of one is not sent. */
export const MOST_ROUNDS = 3;

/** @param round more than {@link MOST_ROUNDS} */
export function loopText(round: number): string {
  return `caused by our own replies, ${round} in a row: a loop`;
}

/** The value of {@link ROUND_HEADER} as a number from 1 to 99. @returns 0: there is none, or it is no such number */
export function readRound(value = ''): number {
  return /^[1-9]\d?$/.test(value) ? Number(value) : 0;
}
