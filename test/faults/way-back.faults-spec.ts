import { hooksCommand } from '../support/cli-process.ts';
import { FirstBuild } from '../support/first-build.ts';
import { thereAndBack } from './there-and-back.ts';
import { World } from './world.ts';

describe('An upgrade of a ledger in a file', () => {
  const { main } = FirstBuild.inThisFile();

  it('and the way back from it lose nothing and do nothing twice', async () => {
    await using world = await World.open();
    await thereAndBack(world, main, async () => {
      const back = ['migrate', '--from', 'sqlite', '--to', 'edition-1'];
      const { code, stdout, stderr } = await hooksCommand(back, { cwd: world.dir });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain('is of edition 1, with all of its events');
    });
  });
});
