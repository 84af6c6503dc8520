import type { Lane, NewWork } from '../../hooks/ports/jobs.ts';

/** The kinds of work, as rows name them. */
export const KINDS: readonly NewWork['kind'][] = ['run', 'heartbeat', 'delivery', 'notice'];

/** The lanes of work, as rows name them. */
export const LANES: readonly Lane[] = ['turn', 'delivery'];
