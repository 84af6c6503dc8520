import { statSync } from 'node:fs';

/** What tells one state of a file from the next without reading it. */
export type FileMark = string;

const ABSENT: FileMark = 'absent';

/** In microseconds: what it looks at is in the kernel's memory. */
export function markOf(path: string): FileMark {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? ABSENT : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

/** True: a file came, went or was written since its mark was taken. */
export function hasChanged(marks: ReadonlyMap<string, FileMark>): boolean {
  for (const [path, mark] of marks) if (markOf(path) !== mark) return true;
  return false;
}
