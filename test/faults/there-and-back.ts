import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { firstBuild } from '../support/first-build.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import type { World } from './world.ts';

const AWAY = { status: 503, body: { error: { message: 'overloaded' } } } as const;

/**
 * Upgrades a service from edition 1 and goes back, each build killed at work with runs that wait and replies that could not
 * be sent: what either of them accepted is done once, in its order, and the earlier build knows every key.
 * @param goBack what an operator does before the earlier build is started again
 */
export async function thereAndBack(world: World, goBack: () => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'first-build-'));
  try {
    const first = { main: firstBuild(dir) };
    const fill = async (build?: { main: string }) => {
      await using service = await world.start(build);
      await world.loadOf(service, 5);
      world.models.meanwhile = AWAY;
      world.chats.meanwhile = AWAY;
      const asked = world.models.requests.length;
      await world.loadOf(service, 5);
      await eventually('some rest', () => world.models.requests.length > asked);
      await service.kill();
      world.models.meanwhile = {};
      world.chats.meanwhile = {};
    };
    await fill(first);
    await fill();
    await goBack();
    await using service = await world.start(first);
    await world.loadOf(service, 5);
    await world.drain(service);
    expect(await verdictOn(world, service)).toEqual(FLAWLESS);
  } finally {
    rmSync(dir, { recursive: true });
  }
}
