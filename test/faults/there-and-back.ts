import { eventually } from '../support/eventually.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import type { TestedService } from './tested-service.ts';
import type { World } from './world.ts';

const AWAY = { status: 503, body: { error: { message: 'overloaded' } } } as const;

/**
 * Upgrades a service from edition 1 and goes back, each build killed at work with runs that wait and replies that could not
 * be sent: what either of them accepted is done once, in its order, and the earlier build knows every key.
 * @param main of the build of edition 1
 * @param goBack what an operator does before the earlier build is started again
 */
export async function thereAndBack(
  world: World,
  main: string,
  goBack: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const fill = async (
    build?: { main: string },
    first: (service: TestedService) => Promise<unknown> = () => Promise.resolve(),
  ) => {
    await using service = await world.start(build);
    await first(service);
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
  const asked = { message: 'Please answer [key:1]', sessionKey: 'faults:key' };
  const eventOf = async (service: TestedService) => {
    const answer = await service.post('agent', asked, 'of the later build');
    const { eventId } = (await answer.json()) as { eventId?: unknown };
    return eventId;
  };
  await fill({ main });
  let keyed: unknown;
  await fill(undefined, async (service) => (keyed = await eventOf(service)));
  await goBack();
  await using service = await world.start({ main });
  expect(keyed).toEqual(expect.any(String));
  expect(await eventOf(service)).toBe(keyed);
  await world.loadOf(service, 5);
  await world.drain(service);
  expect(await verdictOn(world, service)).toEqual(FLAWLESS);
}
