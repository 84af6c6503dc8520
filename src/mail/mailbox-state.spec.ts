import { ManualClock } from '../../test/support/clocks.ts';
import { MailboxState } from './mailbox-state.ts';

describe('MailboxState', () => {
  it.each([0, -86_400_000, 86_400_000])(
    'knows how long it has been away and behind, though somebody sets the clock by %i ms',
    (step) => {
      const clock = new ManualClock();
      const state = new MailboxState('INBOX', clock);
      state.change('hook-unavailable');
      state.found(2);
      const since = new Date(clock.now()).toISOString();
      clock.advance(30_000);
      clock.jump(step);
      clock.advance(30_000);
      state.found(3);
      expect(state.forMs).toBe(60_000);
      expect(state.report()).toMatchObject({ since, waiting: 3, lagSeconds: 60 });
    },
  );
});
