import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import { ChangedEvents } from '../changed-events.ts';
import { EventPoll } from './event-poll.ts';

describe('EventPoll', () => {
  it('begins anew after a first look that failed, while somebody still follows', async () => {
    const changed = new ChangedEvents<string>(new ManualClock());
    const asked: string[] = [];
    let isAway = true;
    const query = (sql: string) => {
      asked.push(sql);
      return isAway ? Promise.reject(new LedgerUnavailable('away')) : Promise.resolve([]);
    };
    let isNeeded = true;
    const poll = new EventPoll({ query }, changed, () => isNeeded);
    using listening = changed.listen(undefined);
    await expect(poll.begin()).rejects.toThrow('away');
    isAway = false;
    await poll.begin();
    isNeeded = false;
    expect(asked).toHaveLength(3);
    expect(listening.missedSince).toBeNull();
  });
});
