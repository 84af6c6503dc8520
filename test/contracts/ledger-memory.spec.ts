import { memoryLedger } from '../../src/testing.ts';
import { LIMITS, event } from './ledger/events.ts';
import { LedgerUnderTest } from './ledger/store.ts';

it('a ledger in memory is empty whenever it is opened', async () => {
  const under = await LedgerUnderTest.open(() =>
    Promise.resolve({ provider: memoryLedger(), dispose: () => Promise.resolve() }),
  );
  const given = event();
  expect(await under.ledger.intake.accept(given, LIMITS)).toMatchObject({ outcome: 'accepted' });
  expect(await under.details(given.id)).toMatchObject({ id: given.id });
  await under.reopen();
  expect(await under.ledger.events.get(given.id)).toBeNull();
  await under.dispose();
});
