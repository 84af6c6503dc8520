import { WorkRoom } from '../../../test/support/work-room.ts';

function every(text: string): WorkRoom {
  const list = [{ id: 'main' }, { id: 'ops' }];
  return new WorkRoom({ agents: { list, defaults: { heartbeat: { every: text } } } });
}

describe('HeartbeatSchedule (behaviour §12)', () => {
  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
  ])('every %s schedules a heartbeat of each agent in %d ms', async (text, ms) => {
    const room = every(text);
    await room.schedule.start();
    expect(room.work.added).toMatchObject([
      {
        key: 'agent:main:main',
        kind: 'heartbeat',
        dueAt: room.clock.now() + ms,
        once: true,
        order: { agentId: 'main', isPeriodic: true },
      },
      { key: 'agent:ops:main', dueAt: room.clock.now() + ms },
    ]);
    expect(room.schedule.next('ops')).toMatchObject([
      { type: 'work', work: { key: 'agent:ops:main' } },
    ]);
  });

  it.each(['0m', '0s', '0h'])('every %s is off', async (text) => {
    const room = every(text);
    await room.schedule.start();
    expect([room.schedule.isDue, room.work.added, room.schedule.next('main')]).toEqual([
      false,
      [],
      [],
    ]);
  });

  it('begins with a reload that turns heartbeats on', async () => {
    const room = every('0m');
    await room.schedule.start();
    await room.settings.replace({});
    expect(room.schedule.next('main')).toHaveLength(1);
    expect(room.work.added).toMatchObject([{ key: 'agent:main:main', once: true }]);
  });
});
