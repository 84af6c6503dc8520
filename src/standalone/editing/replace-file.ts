import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';

/**
 * Puts `text` in the place of a file, or makes it: whoever reads it at any moment, or after a crash, finds all of the
 * old or all of the new. A link stays a link; the file it leads to is replaced, and keeps its owner.
 * @param mode permissions of the new file; undefined: those of the old one, or 0644.
 */
export function replaceFile(path: string, text: string, mode?: number): void {
  const target = realPathOf(path);
  const old = statSync(target, { throwIfNoEntry: false });
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
  try {
    writeDraft(draft, text, mode ?? (old === undefined ? 0o644 : old.mode & 0o777), old);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(dirname(target));
}

function writeDraft(
  draft: string,
  text: string,
  mode: number,
  owner: { uid: number; gid: number } | undefined,
): void {
  const file = openSync(draft, 'wx', 0o600);
  try {
    // Only root may give files away; for everybody else the owner is the same anyway.
    if (owner !== undefined && process.getuid?.() === 0) fchownSync(file, owner.uid, owner.gid);
    writeFileSync(file, text);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function realPathOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
}

/** Without it the rename itself may be lost with the power. */
function syncDirectory(dir: string): void {
  const directory = openSync(dir, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
