/** How often an interrupted turn is begun again, where its runner says that it cannot have acted. */
const MAX_REPEATS = 1;

/**
 * Why a turn that was cut off is not begun again; null: it may be.
 * @param interruptions how often it was, by the end of the process or by a stop.
 * @param mayRepeat what its runner said before it was asked.
 */
export function refusalToRepeat(
  what: 'run' | 'heartbeat',
  interruptions: number,
  mayRepeat: boolean,
): string | null {
  if (interruptions === 0) return null;
  if (!mayRepeat) return `the ${what} was interrupted; it may have acted, so it is not begun again`;
  if (interruptions <= MAX_REPEATS) return null;
  return `the ${what} was interrupted ${interruptions} times; it is not begun again`;
}

/** A step broke after its agent was asked, and the agent must not be asked twice. */
export class Unrepeatable extends Error {
  override readonly name = 'Unrepeatable';

  /** @param cause what broke. */
  constructor(cause: unknown) {
    super('a step broke after its turn', { cause });
  }
}
