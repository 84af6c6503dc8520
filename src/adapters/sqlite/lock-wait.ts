import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How often it is looked whether the directory is free; a look costs some microseconds. */
const LOOK_EVERY_MS = 25;

/**
 * Resolves as soon as no process holds the directory. Of several that wait, the first has it then.
 * @param onWait is called once, when somebody holds it.
 */
export async function untilUnlocked(dir: string, onWait: () => void): Promise<void> {
  const file = join(dir, 'lock.db');
  if (!isHeld(file)) return;
  onWait();
  // Not the clock's wait, which keeps no process alive: nothing else of this one is running yet.
  while (isHeld(file)) await delay(LOOK_EVERY_MS);
}

/** Who holds it has an exclusive lock, in which nobody may read. */
function isHeld(file: string): boolean {
  if (!existsSync(file)) return false;
  const lock = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    lock.exec('SELECT 1 FROM sqlite_schema');
    return false;
  } catch (error) {
    return error instanceof Error && /locked|busy/i.test(error.message);
  } finally {
    lock.close();
  }
}
