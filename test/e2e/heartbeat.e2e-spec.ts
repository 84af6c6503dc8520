import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import { sqliteLedger } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { ManualClock } from '../support/clocks.ts';

type Heartbeat = NonNullable<
  NonNullable<NonNullable<HooksModuleOptions['agents']>['defaults']>['heartbeat']
>;

const MINUTE = 60_000;
const MAIN = 'heartbeat agent:main:main';

let dir: string;
let clock: ManualClock;
let hooks: Hooks;

async function start(heartbeat: Heartbeat = { every: '0m' }, ids = ['main']): Promise<void> {
  const agents = { list: ids.map((id) => ({ id })), defaults: { heartbeat } };
  hooks = await Hooks.start({ ledger: sqliteLedger({ dir }), clock, agents, shutdownSeconds: 0 });
}

async function wake(text: string): Promise<unknown> {
  const { status, eventId } = await hooks.ask('/wake', { text });
  expect(status).toBe(200);
  return eventId;
}

function asked(turns: number): Promise<boolean> {
  return eventually('the agent is asked', () => hooks.runner.turns.length === turns);
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-heartbeat-'));
  clock = new ManualClock();
});
afterEach(async () => {
  await hooks.close();
  await rm(dir, { recursive: true });
});

describe('immediate heartbeats (behaviour §12)', () => {
  it('that are asked for within 250 ms are one', async () => {
    await start();
    const first = await wake('one');
    clock.advance(249);
    const second = await wake('two');
    expect(hooks.journal).toEqual([]);
    expect(await hooks.details(second)).toMatchObject({
      status: 'running',
      heartbeat: 'requested',
    });
    clock.advance(1);
    await hooks.ended(first);
    expect(await hooks.ended(second)).toMatchObject({ heartbeat: 'done' });
    expect(hooks.runner.turns[0]?.prompt).toMatch(/one[^]*two/u);
    const third = await wake('three');
    clock.advance(250);
    await hooks.ended(third);
    expect(hooks.journal).toEqual([MAIN, MAIN]);
    expect(hooks.runner.turns[1]?.prompt).not.toContain('two');
  });

  it('of one agent are never two at a time; those of others go on', async () => {
    await start({ every: '5m' }, ['main', 'ops']);
    const gate = Promise.withResolvers<string>();
    hooks.runner.reply = ({ agent }) => (agent.id === 'main' ? gate.promise : 'HEARTBEAT_OK');
    const first = await wake('one');
    clock.advance(250);
    await asked(1);
    const second = await wake('two');
    clock.advance(5 * MINUTE);
    await asked(2);
    expect(hooks.journal).toEqual([MAIN, 'heartbeat agent:ops:main']);
    gate.resolve('HEARTBEAT_OK');
    await hooks.ended(first);
    expect(await hooks.ended(second)).toMatchObject({ heartbeat: 'done' });
    expect(hooks.journal.filter((line) => line === MAIN)).toHaveLength(2);
  });
});

describe('periodic heartbeats (behaviour §12)', () => {
  it('that came due while the service was down come at once, and once', async () => {
    await start({ every: '30m' });
    await hooks.close();
    clock.advance(300 * MINUTE);
    await start({ every: '30m' });
    await asked(1);
    await eventually('the next is scheduled', async () => (await hooks.waiting('heartbeat')) === 1);
    expect(hooks.journal).toEqual([MAIN]);
  });
});
