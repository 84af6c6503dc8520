import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import { LIMITS, agent, runOf } from '../contracts/ledger/events.ts';
import { inTurns } from '../faults/sender.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { eventually } from '../support/eventually.ts';
import { PgBouncer } from './pgbouncer.ts';
import { PostgresSuite } from './suite.ts';

describe('Two services behind pgBouncer, a transaction at a time', () => {
  const suite = PostgresSuite.inThisFile({ settings: { log_statement: 'all' } });

  it('do what either accepts once and in order, and say that they have to look for work', async () => {
    await using bouncer = await PgBouncer.start(suite.server);
    await using database = await suite.server.database();
    await using world = await World.open({
      store: { postgres: { url: bouncer.url(database.name), connections: 2 } },
    });
    await using one = await world.start();
    await using other = await world.start();
    await world.loadOf(inTurns(one, other), 20);
    await world.drain(other);
    expect(await verdictOn(world, one)).toEqual(FLAWLESS);
    for (const service of [one, other]) {
      const { code, stdout } = await service.stop();
      expect(code).toBe(0);
      expect(stdout).toContain('LISTEN does not work through pgBouncer');
      expect(stdout).not.toContain('cannot');
    }
  });

  it('tell whoever follows events in one of them what the other does, and ask for nobody else', async () => {
    await using bouncer = await PgBouncer.start(suite.server);
    await using database = await suite.server.database();
    const provider = postgresLedger({ url: bouncer.url(database.name), connections: 2 });
    const [one, other] = await Promise.all([
      provider.open(new SystemClock()),
      provider.open(new SystemClock()),
    ]);
    const stop = new AbortController();
    const looks = () => suite.server.log.split("BETWEEN 'running' AND 'running'").length - 1;
    try {
      const before = agent('before');
      await other.intake.accept(before, LIMITS);
      expect(looks()).toBe(0);
      const feed = await one.events.follow(undefined, stop.signal);
      const told: string[] = [];
      const following = (async () => {
        for await (const { events } of feed)
          told.push(...events.map(({ id, status }) => `${id} ${status}`));
      })();
      await eventually('somebody looks', () => looks() > 0);
      const id = agent('a');
      await other.intake.accept(id, LIMITS);
      await eventually('it is told', () => told.includes(`${id.id} accepted`));
      const leases = await other.work.claim('turn', 2, stop.signal);
      await eventually('it has begun', () => told.includes(`${id.id} running`));
      for (const lease of leases) {
        const done = {
          type: 'run-update',
          id: runOf(lease.eventId!),
          status: 'succeeded',
        } as const;
        await other.work.commit(lease, { type: 'done' }, [done]);
      }
      await eventually('it is over', () => told.includes(`${id.id} done`));
      await eventually('the first is, too', () => told.includes(`${before.id} done`));
      expect(told.filter((one) => one.startsWith(before.id))[0]).toBe(`${before.id} running`);
      stop.abort();
      await following;
    } finally {
      await Promise.all([one, other].map(({ maintenance }) => maintenance.close()));
    }
  });
});
