import { setTimeout as pause } from 'node:timers/promises';

/** Below the time that Jest gives a test, so that the complaint says what was awaited. */
export const PATIENCE_MS = 30_000 * Number(process.env['HOOKS_PATIENCE'] ?? '1');
const LONG_PATIENCE_MS = 4 * PATIENCE_MS;
const STEP_MS = 20;
const LONGEST_STEP_MS = 200;

/** Waits for an answer other than undefined or false. Asks less and less often: a service that is asked all the time is slow. */
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

/** The same for rounds of much work, and for programs that are not ours. */
export function atLast<T>(...[what, fact]: Parameters<typeof eventually<T>>): Promise<T> {
  return eventually(what, fact, LONG_PATIENCE_MS);
}
