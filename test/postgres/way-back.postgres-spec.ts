import { MIGRATIONS } from '../../src/ledger/postgres/schema.ts';
import { inTurns } from '../faults/sender.ts';
import type { TestedService } from '../faults/tested-service.ts';
import { thereAndBack } from '../faults/there-and-back.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { FirstBuild } from '../support/first-build.ts';
import { ask } from './ask.ts';
import { PostgresSuite } from './suite.ts';

const NEWEST = MIGRATIONS.at(-1)!.number;
const EDITION = `SELECT value FROM hooks.meta WHERE key = 'schema'`;

describe('An upgrade of a ledger in PostgreSQL', () => {
  const suite = PostgresSuite.inThisFile();
  const { main } = FirstBuild.inThisFile();

  it('and the way back, which is to start the earlier build, lose nothing and do nothing twice', async () => {
    await using database = await suite.server.database();
    await using world = await World.open({ store: { postgres: { url: database.url } } });
    await thereAndBack(world, main);
  });

  it('happens while a service of edition 1 works, which goes on beside the new one', async () => {
    await using database = await suite.server.database();
    await using world = await World.open({ store: { postgres: { url: database.url } } });
    await using old = await world.start({ main });
    await using services = new AsyncDisposableStack();
    const upgraded = Promise.withResolvers<TestedService>();
    await world.load(old, async () => {
      upgraded.resolve(services.use(await world.start()));
    });
    const service = await upgraded.promise;
    await world.loadOf(inTurns(old, service), 5);
    expect(await ask(database.url, EDITION)).toEqual([{ value: String(NEWEST) }]);
    await world.drain(old);
    for (const one of [old, service]) expect(await verdictOn(world, one)).toEqual(FLAWLESS);
  });
});
