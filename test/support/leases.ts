import type {
  DeliveryJob,
  DeliveryLease,
  HeartbeatLease,
  RunJob,
  RunLease,
  SystemEvent,
} from '../../src/hooks/ports/index.ts';

const lease = {
  ref: 'run-1',
  eventId: 'event-1',
  attempt: 1,
  failures: 0,
  crashes: 0,
  mayHaveActed: false,
  since: Date.UTC(2026, 0, 1),
};

export function runLease(job: Partial<RunJob> = {}, over: Partial<RunLease> = {}): RunLease {
  const whole: RunJob = {
    v: 1,
    eventId: 'event-1',
    hook: 'agent',
    name: 'CI',
    message: 'the build broke',
    source: 'agent',
    agentId: 'main',
    session: 'agent:main:hook:x',
    sessionMode: 'isolated',
    wakeMode: 'now',
    timeoutSeconds: 600,
    trust: { level: 'untrusted', verifiedBy: 'token' },
    receivedAt: lease.since,
    deliver: { channel: 'last' },
    ...job,
  };
  const { session: key } = whole;
  return { ...lease, workId: 1, lane: 'turn', key, kind: 'run', job: whole, ...over };
}

export function heartbeatLease(
  isPeriodic = false,
  { agentId = 'main', ...over }: Partial<HeartbeatLease> & { readonly agentId?: string } = {},
): HeartbeatLease {
  return {
    ...lease,
    workId: 2,
    lane: 'turn',
    key: `agent:${agentId}:main`,
    kind: 'heartbeat',
    ref: null,
    eventId: null,
    job: { v: 1, agentId, isPeriodic },
    ...over,
  };
}

export function deliveryLease(
  job: Partial<DeliveryJob> = {},
  over: Partial<DeliveryLease> = {},
): DeliveryLease {
  const whole: DeliveryJob = {
    v: 1,
    deliveryId: 'delivery-1',
    eventId: 'event-1',
    channel: 'chan_1',
    to: '+49',
    text: 'the reply',
    runId: 'run-1',
    agentId: 'main',
    becomesLastRoute: true,
    name: 'CI',
    wakeMode: 'none',
    trust: { level: 'untrusted', verifiedBy: 'token' },
    ...job,
  };
  return {
    ...lease,
    workId: 3,
    lane: 'delivery',
    key: 'chan_1 +49',
    kind: 'delivery',
    ref: 'delivery-1',
    job: whole,
    ...over,
  };
}

export function systemEvent(seq: number, text: string): SystemEvent {
  return {
    seq,
    text,
    at: lease.since,
    hook: 'wake',
    trust: { level: 'untrusted', verifiedBy: 'token' },
  };
}
