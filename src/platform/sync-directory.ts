import { closeSync, fsyncSync, openSync } from 'node:fs';

/** A new name is lost in a power cut until its directory is written. Windows knows no such thing. */
export function syncDirectory(dir: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(dir, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
