import { mainSession } from './session-key.ts';
import type { NewWork } from './new-work.ts';

/** Immediate heartbeats asked for within this time are one. */
export const HEARTBEAT_COALESCE_MS = 250;

/** A heartbeat that somebody asked for; many that ask within {@link HEARTBEAT_COALESCE_MS} get one. */
export function immediateHeartbeat(agentId: string, now: number): NewWork {
  return heartbeat(agentId, now + HEARTBEAT_COALESCE_MS, false);
}

/** The next heartbeat that nobody asked for. */
export function periodicHeartbeat(agentId: string, dueAt: number): NewWork {
  return heartbeat(agentId, dueAt, true);
}

function heartbeat(agentId: string, dueAt: number, isPeriodic: boolean): NewWork {
  return {
    lane: 'turn',
    key: mainSession(agentId),
    kind: 'heartbeat',
    dueAt,
    once: true,
    order: { v: 1, agentId, isPeriodic },
  };
}
