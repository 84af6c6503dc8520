import { thereAndBack } from '../faults/there-and-back.ts';
import { World } from '../faults/world.ts';
import { PostgresSuite } from './suite.ts';

describe('An upgrade of a ledger in PostgreSQL', () => {
  const suite = PostgresSuite.inThisFile();

  it('and the way back from it, which is to start the earlier build, lose nothing and do nothing twice', async () => {
    await using database = await suite.server.database();
    await using world = await World.open({ store: { postgres: { url: database.url } } });
    await thereAndBack(world, () => Promise.resolve());
  }, 300_000);
});
