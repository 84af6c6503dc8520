import type { AgentTurn } from '../ports/index.ts';

/** A turn whose agent and contract are known and whose clock was not started. */
export interface PlannedTurn extends Omit<AgentTurn, 'deadline' | 'tellsToolCalls'> {
  readonly timeoutSeconds: number;
}
