import type { DeliveryDetails, EventDetails, RunDetails } from '../../src/hooks/index.ts';

const REQUEST = {
  path: 'ci',
  query: {},
  headers: {},
  client: '127.0.0.1',
  verifiedBy: 'token',
  payload: {},
};

export function eventDetails({ request, ...over }: Partial<EventDetails> = {}): EventDetails {
  return {
    id: 'e1',
    hook: 'ci',
    status: 'done',
    receivedAt: '2026-01-01T10:00:00.000Z',
    mapping: null,
    headline: null,
    actions: [],
    runs: [],
    summary: null,
    heartbeat: 'none',
    deliveries: [],
    error: null,
    waitReason: null,
    agentId: 'main',
    channel: null,
    skipped: null,
    warnings: [],
    console: [],
    ...over,
    request: { ...REQUEST, ...request },
  };
}

export function runDetails(over: Partial<RunDetails> = {}): RunDetails {
  return {
    id: 'r1',
    status: 'succeeded',
    agentId: 'main',
    sessionKey: 'hook:x',
    model: 'demo',
    thinking: null,
    prompt: 'the prompt',
    reply: 'the reply',
    error: null,
    contract: null,
    usage: null,
    warnings: [],
    toolCalls: [],
    attempts: 1,
    notes: [],
    waits: [],
    joined: null,
    startedAt: '2026-01-01T10:00:01.000Z',
    finishedAt: '2026-01-01T10:00:03.500Z',
    ...over,
  };
}

export function deliveryDetails(over: Partial<DeliveryDetails> = {}): DeliveryDetails {
  return {
    id: 'd1',
    runId: 'r1',
    channel: 'chan_1',
    to: '+49',
    status: 'delivered',
    attempts: [{ at: '2026-01-01T10:00:04.000Z', attempt: 1, outcome: 'delivered' }],
    messageId: '17',
    error: null,
    ...over,
  };
}
