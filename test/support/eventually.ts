import { setTimeout as pause } from 'node:timers/promises';

/** Below the time that Jest gives a test (package.json), so that the complaint says what was awaited. */
const PATIENCE_MS = 240_000;
const STEP_MS = 20;

/** Asks until `fact` gives an answer other than undefined or false, and gives it; complains after `patienceMs`. */
export async function eventually<T>(
  what: string,
  fact: () => Promise<T | undefined | false> | T | undefined | false,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + patienceMs;
  while (Date.now() < end) {
    const answer = await fact();
    if (answer !== undefined && answer !== false) return answer;
    await pause(STEP_MS);
  }
  throw new Error(`never happened: ${what}`);
}
