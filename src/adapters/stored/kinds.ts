import type { Lane, NewWork } from '../../hooks/ports/jobs.ts';

/** The kinds of work, as rows name them. */
export const KINDS: readonly NewWork['kind'][] = ['run', 'heartbeat', 'delivery', 'notice'];

/** Kinds of work that an operator may have done anew once they were given up. */
export const RETRIABLE = ['run', 'delivery'] as const;

/** The lanes of work, as rows name them. */
export const LANES: readonly Lane[] = ['turn', 'delivery'];
