import { hookRequest } from '../../../../test/support/ingest.ts';
import { eventOf } from './event-of.ts';

describe('eventOf (behaviour §10: which idempotency key)', () => {
  it('the header wins over the payload', () => {
    expect(
      eventOf(hookRequest('agent', {}, { idempotencyKey: 'h' }), 'agent', [], [], 'p')
        .idempotencyKey,
    ).toBe('h');
    expect(eventOf(hookRequest('agent'), 'agent', [], [], 'p').idempotencyKey).toBe('p');
    expect(eventOf(hookRequest('agent'), 'agent', [], []).idempotencyKey).toBeUndefined();
  });

  it('a replayed event is never taken for a repeat, and names its origin', () => {
    const event = eventOf(
      hookRequest('agent', {}, { idempotencyKey: 'h', replayOf: 'e0' }),
      'agent',
      [],
      [],
      'p',
    );
    expect([event.idempotencyKey, event.request.replayOf]).toEqual([undefined, 'e0']);
  });
});
