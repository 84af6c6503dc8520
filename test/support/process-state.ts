import { readFileSync } from 'node:fs';

/** Gone, or a zombie that whoever adopted it has still to reap. */
export function isGone(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
