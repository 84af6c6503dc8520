import { MIGRATIONS } from '../../src/ledger/postgres/schema.ts';
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

  it('is refused while a service of edition 1 works, which goes on; then nothing is lost or done twice', async () => {
    await using database = await suite.server.database();
    await using world = await World.open({ store: { postgres: { url: database.url } } });
    const old = await world.start({ main });
    await world.load(old, async () => {
      await expect(world.start()).rejects.toThrow('stop all services first');
    });
    await world.loadOf(old, 5);
    await old.stop();

    await using service = await world.start();
    await world.loadOf(service, 5);
    expect(await ask(database.url, EDITION)).toEqual([{ value: String(NEWEST) }]);
    await world.drain(service);
    expect(await verdictOn(world, service)).toEqual(FLAWLESS);
    // It knows nothing of what a person has to allow, and would begin it.
    await expect(world.start({ main })).rejects.toThrow('edition');
    expect((await service.post('wake', { text: 'and the newer one goes on' })).status).toBe(200);
  });
});
