import { StoredIntake } from './intake.ts';

describe('StoredIntake', () => {
  it('refuses events beyond ten thousand that wait', async () => {
    const caller = { waiting: 10_000, call: () => Promise.reject(new Error('called')) };
    const intake = new StoredIntake({
      queue: caller,
      reader: caller,
      writer: caller,
      health: { failed: () => {} },
      follower: null,
    });
    const request = { path: '', query: {}, headers: {}, client: '', verifiedBy: '' };
    const head = { v: 1, id: '1', hook: 'wake', receivedAt: 0, payload: '{}' } as const;
    const event = { ...head, request, actions: [], warnings: [] };
    await expect(intake.accept(event, { maxSystemEvents: 1 })).rejects.toThrow('overloaded');
  });
});
