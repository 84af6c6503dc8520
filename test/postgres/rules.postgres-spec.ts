import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { LEASE_MS } from '../../src/hooks/ports/work-ledger.ts';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { Life } from '../support/mortal-process.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { PostgresSuite } from './suite.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const INSTANCES = 3;

type Mapping = NonNullable<HooksModuleOptions['mappings']>[number];

const CHECK: Mapping = {
  id: 'check',
  messageTemplate: '{{ host }} is {{ state }}',
  wakeMode: 'next-heartbeat',
  deliver: false,
};

describe(`Rules of ${INSTANCES} services on one database (behaviour.md §16)`, () => {
  const suite = PostgresSuite.inThisFile();
  let database: TestDatabase;
  let clock: ManualClock;
  let all: Hooks[];
  /** Of each service: whether its process lives, as far as work is concerned. */
  let lives: Life[];
  let ledgers: Ledger[];

  beforeEach(async () => {
    database = await suite.server.database();
    clock = new ManualClock();
    [all, lives, ledgers] = [[], [], []];
  });
  afterEach(async () => {
    for (const [n, hooks] of all.entries())
      if (lives[n]!.isOver) hooks.app.getHttpServer().close();
      else await hooks.close();
    await Promise.all(ledgers.map(({ maintenance }) => maintenance.close()));
    await database[Symbol.asyncDispose]();
  });

  async function start(
    rules: Partial<Mapping>,
    more: Partial<HooksModuleOptions> = {},
  ): Promise<void> {
    const provider = postgresLedger({ url: database.url, search: false });
    for (let n = 0; n < INSTANCES; n += 1) {
      const life = new Life();
      lives.push(life);
      const open = async () => {
        const ledger = await provider.open(clock);
        ledgers.push(ledger);
        return { ...ledger, work: life.mortal(ledger.work) };
      };
      const hooks = await Hooks.start({
        agents: { defaults: { heartbeat: { every: '0m' } } },
        clock,
        ledger: { open },
        defaultSessionKey: undefined,
        mappings: [{ ...CHECK, ...rules }],
        shutdownSeconds: 0,
        ...more,
      });
      hooks.runner.reply = () => 'done';
      all.push(hooks);
    }
  }

  /** @param n the service that it is sent to */
  const send = async (n: number, host: string, state = 'down'): Promise<string> => {
    const { status, eventId } = await all[n % INSTANCES]!.ask('/check', { host, state });
    expect(status).toBe(200);
    return String(eventId);
  };
  const sendMany = (count: number, host = (n: number) => `host-${n}`): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => send(n, host(n))));
  const detailsOf = (ids: readonly string[]): Promise<EventDetails[]> =>
    Promise.all(ids.map((id) => all[0]!.details(id)));
  const stand = (ids: readonly string[], expected: Readonly<Record<string, number>>) =>
    eventually(`they are ${JSON.stringify(expected)}`, async () => {
      const counts: Record<string, number> = {};
      for (const { runs } of await detailsOf(ids)) {
        const status = runs[0]?.status ?? 'none';
        counts[status] = (counts[status] ?? 0) + 1;
      }
      return Object.keys({ ...counts, ...expected }).every((one) => counts[one] === expected[one]);
    });
  const asked = (): string[] =>
    all.flatMap(({ runner }) =>
      runner.turns.map(({ prompt }) => /\n\n([^<]*)\n<<<END/.exec(prompt)?.[1] ?? prompt),
    );
  /** Agents answer once they are told to. @returns whom each was asked by, and how to have him answer */
  const answerLater = (): { readonly by: number; readonly answer: () => void }[] => {
    const open: { by: number; answer: () => void }[] = [];
    for (const [by, { runner }] of all.entries())
      runner.reply = () =>
        new Promise((resolve) => open.push({ by, answer: () => resolve('done') }));
    return open;
  };

  describe('budgets', () => {
    /** Each turn reserves some 17,000, and uses 14,000. */
    const MOST = 40_000;
    const USED = { inputTokens: 500, outputTokens: 13_500 };
    const startBudget = async (defaults = {}) => {
      await start(
        {},
        {
          agents: { defaults: { heartbeat: { every: '0m' }, ...defaults } },
          budgets: [{ of: 'tokens', most: MOST, per: '1d', scope: 'hook:check' }],
        },
      );
      for (const { runner } of all) runner.extras = { usage: USED };
      return answerLater();
    };
    const used = async (): Promise<number> => {
      const usage = await all[1]!.app.get(LedgerAdmin).usage({ by: 'hook', days: 9 });
      return usage.reduce((sum, one) => sum + one.inputTokens + one.outputTokens, 0);
    };

    it('are passed by one turn at most, however many begin at once', async () => {
      const open = await startBudget();
      const ids = await sendMany(12);
      // 34,000 of 40,000 are reserved.
      await stand(ids, { running: 2, waiting: 10 });
      expect(open).toHaveLength(2);
      for (const { answer } of open.splice(0)) answer();
      // 28,000 are used: what does not fit has the rest to itself.
      await stand(ids, { succeeded: 2, running: 1, waiting: 9 });
      await eventually('its agent is asked', () => open.length === 1);
      open.pop()!.answer();
      await stand(ids, { succeeded: 3, waiting: 9 });
      expect([await used(), asked().length]).toEqual([42_000, 3]);
      clock.advance(DAY);
      await stand(ids, { succeeded: 3, running: 2, waiting: 7 });
    });

    it('count what one of them had reserved that is killed, and nothing of it is lost', async () => {
      const open = await startBudget({ maxConcurrent: 1 });
      const ids = await sendMany(6);
      await eventually('two are asked', () => open.length === 2);
      const [gone, other] = open.splice(0);
      lives[gone!.by]!.kill();
      other!.answer();
      const count = async (status: string, attempts?: number) => {
        const runs = (await detailsOf(ids)).map((details) => details.runs[0]!);
        const isCounted = (run: EventDetails['runs'][number]) =>
          run.status === status && run.attempts === (attempts ?? run.attempts);
        return runs.filter(isCounted).length;
      };
      const answered = (what: string, fact: () => Promise<boolean>) =>
        eventually(what, () => {
          for (const { answer } of open.splice(0)) answer();
          return fact();
        });
      await answered('the lease of who is gone has ended', async () => {
        const [ended, cut] = [await count('succeeded'), await count('running', 1)];
        // Not while another is at something, which has to renew its own.
        if (ended === 1 && cut === 1) clock.advance(LEASE_MS / 4);
        return ended > 1;
      });
      // 28,000 by what the provider says, and the 17,000 that were reserved: who comes next waits.
      await stand(ids, { succeeded: 2, waiting: 4 });
      expect([await used(), asked().length]).toEqual([28_000, 3]);
      clock.advance(DAY);
      await answered('the budget is used up again', async () => {
        return (await count('succeeded')) === 5 && (await count('waiting')) === 1;
      });
      clock.advance(DAY);
      await answered('all have ended', async () => (await count('succeeded')) === 6);
      expect(new Set(asked()).size).toBe(6);
    });
  });
});
