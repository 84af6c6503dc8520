/**
 * Sends a signal to every process of a group; 0 only asks whether one is left.
 * @param leader id of the process that began the group.
 * @returns false when no process of the group is left.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}
