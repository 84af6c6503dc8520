import type {
  Change,
  DeliveryJob,
  HandlerJob,
  Lease,
  ObservedEnd,
  StepOutcome,
} from '../ports/index.ts';

export function endsOf(
  lease: Lease,
  outcome: StepOutcome,
  changes: readonly Change[],
  ms: number,
): readonly ObservedEnd[] {
  if (lease.kind === 'delivery') return endOfDelivery(lease.job, outcome, changes);
  if (lease.kind !== 'run') return [];
  const { agentId: agent, trust, hook: builtIn } = lease.job;
  const hook = trust.mapping ?? builtIn;
  return changes.flatMap((change): ObservedEnd[] => {
    if (change.type === 'run-update' && change.finishedAt !== undefined) {
      const { status } = change;
      return status === undefined ? [] : [{ kind: 'run', hook, agent, outcome: status, ms }];
    }
    if (change.type !== 'delivery' || change.status === 'pending') return [];
    const { channel, status } = change;
    return [{ kind: 'delivery', hook, channel, outcome: status }];
  });
}

/** Of a notice that could not be sent nothing is recorded. */
function endOfDelivery(
  { channel, eventId, trust }: DeliveryJob | HandlerJob,
  { type }: StepOutcome,
  changes: readonly Change[],
): readonly ObservedEnd[] {
  const update = changes.find((change) => change.type === 'delivery-update');
  const status = update?.status ?? (type === 'dead' ? 'dead' : undefined);
  if (status === undefined) return [];
  const hook = eventId === null ? null : (trust.mapping ?? 'agent');
  return [{ kind: 'delivery', hook, channel, outcome: status }];
}
