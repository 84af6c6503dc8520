import { EventStore, HooksSettings } from '../../src/hooks/index.ts';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

let hooks: Hooks;
let replies: ((reply: string) => void)[];

async function start(options: Partial<HooksModuleOptions>): Promise<void> {
  hooks = await Hooks.start({
    defaultSessionKey: undefined,
    mappings: [
      { id: 'alerts', messageTemplate: 'alert {{ payload.n }}', maxQueued: 3, deliver: false },
      { id: 'builds', messageTemplate: 'build {{ payload.n }}', deliver: false },
      { id: 'notes', action: 'wake', wakeMode: 'next-heartbeat', textTemplate: '{{ payload.n }}' },
    ],
    ...options,
  });
  replies = [];
  hooks.runner.reply = () => new Promise((resolve) => void replies.push(resolve));
}

afterEach(async () => {
  hooks.runner.reply = () => 'done';
  for (const reply of replies) reply('done');
  await hooks.close();
});

function begun(count: number): Promise<unknown> {
  return eventually(`${count} turns have begun`, () => hooks.runner.turns.length >= count);
}

const agents = (maxConcurrent: number, more: object = {}) => ({
  agents: { defaults: { maxConcurrent, ...more } },
});

describe('fairness over HTTP', () => {
  it('hears a wake though every run hangs', async () => {
    await start(agents(2));
    for (let n = 0; n < 3; n += 1) await hooks.ask('/builds', { n });
    await begun(2);
    await hooks.ask('/wake', { text: 'the house is on fire' });
    await begun(3);
    expect(hooks.runner.turns.at(-1)).toMatchObject({ kind: 'heartbeat' });
    expect(hooks.runner.turns.at(-1)?.prompt).toContain('the house is on fire');
  });

  it('answers 503 for the hook whose queue is full, stores nothing, and takes the others', async () => {
    await start({ ...agents(1), agentLimits: { maxQueued: 1 } });
    await hooks.ask('/alerts', { n: 0 });
    await begun(1);
    for (let n = 1; n <= 3; n += 1) {
      expect(await hooks.ask('/alerts', { n })).toMatchObject({ status: 200 });
    }
    const before = await hooks.stored();
    const answer = await hooks.post('/alerts', { n: 4 });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ ok: false, code: 'hook_queue_full' });
    expect(await hooks.stored()).toBe(before);
    expect(await hooks.ask('/builds', { n: 0 })).toMatchObject({ status: 200 });
    expect(await hooks.ask('/agent', { message: 'a' })).toMatchObject({ status: 200 });
    expect(await hooks.ask('/agent', { message: 'b' })).toMatchObject({
      status: 503,
      code: 'hook_queue_full',
    });
  });

  it('runs no more of a hook side by side than its mapping says, and others beside them', async () => {
    await start({
      ...agents(4),
      agentLimits: { maxConcurrent: 1 },
      mappings: [{ id: 'alerts', maxConcurrent: 1 }, { id: 'builds' }],
    });
    for (let n = 0; n < 3; n += 1) {
      await hooks.ask('/alerts', { n });
      await hooks.ask('/agent', { message: 'direct' });
    }
    await hooks.ask('/builds', { n: 0 });
    await begun(3);
    const { events } = await hooks.app.get(EventStore).list({ limit: 200 });
    const running = events.filter(({ status }) => status === 'running').map(({ hook }) => hook);
    expect(running.toSorted()).toEqual(['agent', 'alerts', 'builds']);
  });

  it('begins what waits at once when there are more places', async () => {
    const options = { enabled: true, token: TOKEN, mappings: [] };
    await start({ ...options, ...agents(1) });
    for (let n = 0; n < 3; n += 1) await hooks.ask('/agent', { message: `run ${n}` });
    await begun(1);
    const settings = hooks.app.get(HooksSettings);
    await settings.replace({ ...options, ...agents(3) });
    await begun(3);
    expect(replies).toHaveLength(3);
  });

  it('lets no hook fill the main session for all, and drains it before it is full', async () => {
    await start(agents(1, { maxSystemEvents: 8, heartbeat: { every: '0m' } }));
    for (let n = 0; n < 4; n += 1) {
      expect(await hooks.ask('/notes', { n: `note ${n}` })).toMatchObject({ status: 200 });
    }
    expect(await hooks.ask('/notes', { n: 'one more' })).toMatchObject({
      status: 503,
      code: 'event_queue_full',
    });
    const other = await hooks.ask('/wake', { text: 'quiet', mode: 'next-heartbeat' });
    expect(other).toMatchObject({ status: 200 });
    await begun(1);
    expect(hooks.runner.turns[0]).toMatchObject({ kind: 'heartbeat' });
    replies[0]?.('HEARTBEAT_OK');
    await eventually('there is room again', async () => {
      const { status } = await hooks.ask('/notes', { n: 'after' });
      return status === 200;
    });
  });
});
