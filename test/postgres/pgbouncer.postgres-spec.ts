import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { PgBouncer } from './pgbouncer.ts';
import { PostgresSuite } from './suite.ts';

describe('Two services behind pgBouncer, a transaction at a time', () => {
  const suite = PostgresSuite.inThisFile();

  it('do what either accepts once and in order, and say that they have to look for work', async () => {
    await using bouncer = await PgBouncer.start(suite.server);
    await using database = await suite.server.database();
    await using world = await World.open({
      store: { postgres: { url: bouncer.url(database.name), connections: 2 } },
    });
    await using one = await world.start();
    await using other = await world.start();
    let turn = 0;
    await world.loadOf(
      { post: (...request) => [one, other][(turn += 1) % 2]!.post(...request) },
      20,
    );
    await world.drain(other);
    expect(await verdictOn(world, one)).toEqual(FLAWLESS);
    for (const service of [one, other]) {
      const { code, stdout } = await service.stop();
      expect(code).toBe(0);
      expect(stdout).toContain('LISTEN does not work through pgBouncer');
      expect(stdout).not.toContain('cannot');
    }
  });
});
