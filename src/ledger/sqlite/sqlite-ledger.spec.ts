import { SqliteIntake } from './sqlite-ledger.ts';

describe('SqliteIntake', () => {
  it('refuses events beyond ten thousand that wait', async () => {
    const call = () => Promise.reject(new Error('called'));
    const intake = new SqliteIntake({ waiting: 10_000, call }, { failed: () => {} });
    const request = { path: '', query: {}, headers: {}, client: '', verifiedBy: '' };
    const head = { v: 1, id: '1', hook: 'wake', receivedAt: 0, payload: '{}' } as const;
    const event = { ...head, request, actions: [], warnings: [] };
    await expect(intake.accept(event, { maxSystemEvents: 1 })).rejects.toThrow('overloaded');
  });
});
