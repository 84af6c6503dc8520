import { KEPT_CONSOLE_SESSIONS } from '../../../src/hooks/ports/console-sessions.ts';
import type { ConsoleSession } from '../../../src/hooks/ports/console-sessions.ts';
import { LedgerUnavailable } from '../../../src/hooks/ports/ledger.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const HOUR_MS = 3_600_000;

export function describeConsoleSessions(openStore: OpenStore): void {
  describe('sessions of the console', () => {
    let under: LedgerUnderTest;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    const session = (digest: string, lasts = HOUR_MS): ConsoleSession => {
      const startedAt = under.clock.now();
      return { digest, startedAt, endsAt: startedAt + lasts };
    };
    const start = (digest: string, lasts?: number) =>
      under.ledger.consoleSessions.start(session(digest, lasts));
    const find = (digest: string) => under.ledger.consoleSessions.find(digest);

    it('are found by their digest until they are ended', async () => {
      await start('one');
      await start('other');
      expect(await find('one')).toEqual(session('one'));
      await under.ledger.consoleSessions.end('one');
      await under.ledger.consoleSessions.end('one');
      expect(await find('one')).toBeNull();
      expect(await find('other')).toEqual(session('other'));
      expect(await find('')).toBeNull();
    });

    it('end later when they are used, and never earlier', async () => {
      await start('one');
      const { endsAt } = session('one');
      await under.ledger.consoleSessions.extend('one', endsAt + 5);
      await under.ledger.consoleSessions.extend('one', endsAt + 1);
      expect(await find('one')).toEqual({ ...session('one'), endsAt: endsAt + 5 });
      await under.ledger.consoleSessions.extend('nobody', endsAt);
      expect(await find('nobody')).toBeNull();
    });

    it('are bounded: the one that would end first goes for a new one', async () => {
      for (let n = 0; n < KEPT_CONSOLE_SESSIONS; n += 1) await start(`n${n}`, HOUR_MS + n);
      await under.ledger.consoleSessions.extend('n0', under.clock.now() + 2 * HOUR_MS);
      expect(await find('n1')).not.toBeNull();
      await start('new', 1);
      expect(await find('n1')).toBeNull();
      expect(await find('n0')).not.toBeNull();
      expect(await find('n2')).not.toBeNull();
      expect(await find('new')).not.toBeNull();
    });

    it('outlive the process', async () => {
      await start('one');
      await under.reopen();
      expect(await find('one')).toEqual(session('one'));
    });

    it('are forgotten once they have ended, whatever else is kept', async () => {
      await start('ended', 1);
      await start('lasting', 2);
      under.clock.advance(1);
      const now = under.clock.now();
      await under.ledger.maintenance.prune({ now, payloadsBefore: 0, eventsBefore: 0 });
      expect(await find('ended')).toBeNull();
      expect(await find('lasting')).not.toBeNull();
    });

    it('are refused by a ledger that is closed', async () => {
      const { consoleSessions, maintenance } = under.ledger;
      await maintenance.close();
      await expect(consoleSessions.start(session('one'))).rejects.toThrow(LedgerUnavailable);
    });
  });
}
