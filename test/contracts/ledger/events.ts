import { newId } from '../../../src/platform/new-id.ts';
import type {
  Change,
  DeliveryStatus,
  SystemEventChange,
  TurnChange,
} from '../../../src/hooks/ports/change.ts';
import type { IdempotencyKey, NewAction, NewEvent } from '../../../src/hooks/ports/event.ts';
import type { DeliveryJob, RunJob, NewWork } from '../../../src/hooks/ports/jobs.ts';

export const MAIN = 'agent:main:main';
export const LIMITS = { maxSystemEvents: 1000 };
export const TRUST = { level: 'untrusted', verifiedBy: 'token' } as const;
const NOON = Date.UTC(2026, 0, 1);

export function runOf(eventId: string): string {
  return `${eventId.slice(0, -12)}000000000001`;
}

export function deliveryOf(eventId: string): string {
  return `${eventId.slice(0, -12)}000000000002`;
}

export function key(name: string, digest = 'd', keepUntil = NOON + 1000): IdempotencyKey {
  return { scope: 'wake', key: name, digest, keepUntil, onOtherContent: 'conflict' };
}

export function event(given: Partial<NewEvent> = {}): NewEvent {
  return {
    v: 1,
    id: newId(),
    hook: 'wake',
    receivedAt: NOON,
    request: {
      path: '/hooks/wake',
      query: {},
      headers: { 'user-agent': 'test' },
      client: '127.0.0.1',
      verifiedBy: 'token',
    },
    payload: '{"text":"hello"}',
    actions: [],
    warnings: [],
    ...given,
  };
}

export function systemEvent(given: Partial<SystemEventChange> = {}): SystemEventChange {
  const base = { type: 'system-event', session: MAIN, text: 'hello', at: NOON } as const;
  return { ...base, trust: TRUST, hook: 'wake', asksHeartbeat: false, ...given };
}

export function turn(session: string, given: Partial<TurnChange> = {}): TurnChange {
  const base = { type: 'turn', session, at: NOON, isIsolated: false } as const;
  return { ...base, prompt: 'q', reply: 'a', isUntrusted: false, ...given };
}

export function wakeAction(changes: readonly Change[], dedupeKey?: IdempotencyKey): NewAction {
  const action: NewAction = {
    receipt: { kind: 'wake', mode: 'next-heartbeat' },
    details: { kind: 'wake' },
    changes,
  };
  return dedupeKey === undefined ? action : { ...action, dedupeKey };
}

export function wake(given: Partial<NewEvent> = {}): NewEvent {
  return { ...plainWake(given, false), ...given };
}

export function wakeNow(given: Partial<NewEvent> = {}): NewEvent {
  return plainWake(given, true);
}

function plainWake(given: Partial<NewEvent>, asksHeartbeat: boolean): NewEvent {
  const base = event(given);
  const { id: eventId, receivedAt: at } = base;
  const details = { kind: 'wake', text: 'hello', agentId: 'main', trust: TRUST };
  const change = systemEvent({ eventId, at, asksHeartbeat });
  return { ...base, actions: [{ ...wakeAction([change]), details }] };
}

export function heartbeat(session: string, given: Partial<NewWork> = {}): NewWork {
  const job = { v: 1, agentId: 'main', isPeriodic: false } as const;
  return { lane: 'turn', key: session, kind: 'heartbeat', dueAt: NOON, job, ...given };
}

/** One agent run. @param isAlone it waits for no other of its session */
export function agent(session: string, given: Partial<NewEvent> = {}, isAlone = false): NewEvent {
  const base = event({ hook: 'agent', ...given });
  const id = runOf(base.id);
  const changes: Change[] = [
    { type: 'run', id, eventId: base.id, agentId: 'main', sessionKey: session },
    {
      type: 'work',
      work: {
        lane: 'turn',
        key: `agent:main:${session}${isAlone ? ` ${id}` : ''}`,
        kind: 'run',
        ref: id,
        eventId: base.id,
        dueAt: base.receivedAt,
        job: runJob(base.id, session),
      },
    },
  ];
  const action = {
    receipt: { kind: 'agent', runId: id },
    details: { kind: 'agent' },
    changes,
  } as const;
  return { ...base, actions: [action] };
}

export function delivery(eventId: string, status: DeliveryStatus = 'pending'): Change[] {
  const id = deliveryOf(eventId);
  const begun: Change = {
    type: 'delivery',
    id,
    eventId,
    runId: `${eventId}-run`,
    channel: 'chan_1',
    to: '42',
    status,
  };
  if (status !== 'pending') return [begun];
  const work: NewWork = {
    lane: 'delivery',
    key: 'chan_1:42',
    kind: 'delivery',
    ref: id,
    eventId,
    dueAt: NOON,
    job: deliveryJob(eventId, id),
  };
  return [begun, { type: 'work', work }];
}

export function direct(status: DeliveryStatus = 'pending', dedupeKey?: IdempotencyKey): NewEvent {
  const given = event({ hook: 'ci' });
  const deliveryId = deliveryOf(given.id);
  const changes = delivery(given.id, status).map((change): Change => {
    if (change.type === 'delivery') return { ...change, runId: null };
    if (change.type !== 'work') return change;
    const job: DeliveryJob = { ...deliveryJob(given.id, deliveryId), runId: null };
    return { ...change, work: { ...change.work, job } };
  });
  const details = { kind: 'deliver', message: 'Build 7' };
  const action: NewAction = { receipt: { kind: 'deliver', deliveryId }, details, changes };
  return { ...given, actions: [{ ...action, ...(dedupeKey && { dedupeKey }) }] };
}

function runJob(eventId: string, session: string): RunJob {
  return {
    v: 1,
    eventId,
    hook: 'agent',
    name: 'Hook',
    message: 'hello',
    source: 'agent',
    agentId: 'main',
    session: `agent:main:${session}`,
    sessionMode: 'isolated',
    wakeMode: 'now',
    timeoutSeconds: 60,
    trust: TRUST,
    receivedAt: NOON,
    deliver: null,
  };
}

function deliveryJob(eventId: string, deliveryId: string): DeliveryJob {
  return {
    v: 1,
    deliveryId,
    eventId,
    channel: 'chan_1',
    to: '42',
    text: 'hi',
    runId: null,
    agentId: 'main',
    becomesLastRoute: true,
    name: 'Hook',
    wakeMode: 'none',
    trust: TRUST,
  };
}
