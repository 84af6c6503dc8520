import { setTimeout as pause } from 'node:timers/promises';

/** Below the time that Jest gives a test (package.json), so that the complaint says what was awaited. */
const PATIENCE_MS = 240_000;
const STEP_MS = 20;
const LONGEST_STEP_MS = 200;

/**
 * Asks until `fact` gives an answer other than undefined or false, and gives it; complains after `patienceMs`. The longer it
 * waits the less often it asks: what asks a service all the time keeps it from what is awaited.
 */
export async function eventually<T>(
  what: string,
  fact: () => Promise<T | undefined | false> | T | undefined | false,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const begin = Date.now();
  for (let waited = 0; waited < patienceMs; waited = Date.now() - begin) {
    const answer = await fact();
    if (answer !== undefined && answer !== false) return answer;
    await pause(Math.min(Math.max(STEP_MS, waited / 20), LONGEST_STEP_MS));
  }
  throw new Error(`never happened: ${what}`);
}
