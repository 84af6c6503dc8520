import type { Lease } from '../ports/index.ts';

/** A step that takes its process down is given up after so many times in a row: it would do so for ever. */
const MAX_CRASHES = 5;

/** Why work is given up without another attempt; null: it may be begun. */
export function fatality({ crashes }: Pick<Lease, 'crashes'>, during: 'delivery'): string | null {
  return crashes < MAX_CRASHES ? null : `the service died ${crashes} times during this ${during}`;
}
