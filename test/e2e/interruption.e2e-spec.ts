import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExternalServices, Maintenance, sqliteLedger } from '../../src/index.ts';
import { DeliveryError } from '../../src/channels.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';

const REFUSAL = 'the run was interrupted; it may have acted, so it is not begun again';

let dir: string;
let hooks: Hooks;

/** A service on the same data; its agent may be asked twice, or not, and answers in the second life only. */
async function start(isSafe: boolean, answers: boolean): Promise<void> {
  const ledger = sqliteLedger({ dir });
  // What ended badly would be told after some seconds, as if the restart had done it.
  const agents = { defaults: { heartbeat: { every: '0m' }, notify: false as const } };
  hooks = await Hooks.start({ allowRequestSessionKey: true, ledger, shutdownSeconds: 0, agents });
  hooks.runner.isSafe = isSafe;
  if (!answers) hooks.runner.reply = () => Promise.withResolvers<string>().promise;
}

async function restart(isSafe: boolean): Promise<void> {
  await hooks.close();
  await start(isSafe, true);
}

/** As if the process had been killed: nothing that happens from now on reaches the ledger. */
async function die(): Promise<void> {
  await hooks.app.get(Maintenance).close();
  await hooks.close();
}

function asked(turns: number): Promise<boolean> {
  return eventually('the agent is asked', () => hooks.runner.turns.length === turns);
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-interruption-'));
});
afterEach(async () => {
  await hooks.close();
  await rm(dir, { recursive: true });
});

describe('a run that a stop cuts off (issue 4.9)', () => {
  it('is begun again once where that is safe, keeps its place, and its details say so', async () => {
    await start(true, false);
    const sessionKey = 'hook:same';
    const first = await hooks.ask('/agent', { message: 'one', sessionKey });
    const second = await hooks.ask('/agent', { message: 'two', sessionKey });
    await asked(1);
    await restart(true);
    const details = [await hooks.ended(first['eventId']), await hooks.ended(second['eventId'])];
    expect(details).toMatchObject([
      {
        status: 'done',
        runs: [{ status: 'succeeded', attempts: 2, notes: [{ outcome: 'interrupted' }] }],
        deliveries: [{ status: 'delivered' }],
      },
      { status: 'done', runs: [{ status: 'succeeded', attempts: 1, notes: [] }] },
    ]);
    const runs = hooks.runner.turns.filter(({ kind }) => kind === 'run');
    expect(runs.map(({ prompt }) => /\n(one|two)\n/.exec(prompt)?.[1])).toEqual(['one', 'two']);
  });

  it('ends as interrupted where it may have acted; the main session hears of it', async () => {
    await start(false, false);
    const { eventId } = await hooks.ask('/agent', { message: 'one', name: 'N' });
    await asked(1);
    await restart(false);
    expect(await hooks.ended(eventId)).toMatchObject({
      status: 'failed',
      summary: `Hook N (error): ${REFUSAL}`,
      heartbeat: 'done',
      runs: [{ status: 'interrupted', error: REFUSAL, attempts: 1, reply: null }],
      deliveries: [],
    });
    expect(hooks.journal).toEqual(['heartbeat agent:main:main']);
    expect(hooks.runner.turns[0]?.prompt).toContain(REFUSAL);
  });

  it('may be begun again by an operator all the same', async () => {
    await start(false, false);
    const { eventId } = await hooks.ask('/agent', { message: 'one' });
    await asked(1);
    await restart(false);
    await hooks.ended(eventId);
    expect(await hooks.retry(eventId)).toBe(1);
    expect(await hooks.ended(eventId)).toMatchObject({
      status: 'done',
      runs: [{ status: 'succeeded', attempts: 2 }],
    });
  });
});

describe('a run whose process died (issue 4.9)', () => {
  it('is begun again where that is safe, and ends after five deaths in a row', async () => {
    await start(true, false);
    const { eventId } = await hooks.ask('/agent', { message: 'one' });
    for (const life of [1, 2, 3, 4, 5]) {
      await asked(1);
      const { runs } = await hooks.details(eventId);
      expect(runs).toMatchObject([{ status: 'running', attempts: life }]);
      await die();
      await start(true, life === 5);
    }
    const error = 'the service died 5 times in a row during this run';
    const { runs, deliveries } = await hooks.ended(eventId);
    expect(runs).toMatchObject([{ status: 'interrupted', error, attempts: 6 }]);
    expect(runs[0]?.notes.map(({ outcome }) => outcome)).toEqual(Array(6).fill('interrupted'));
    expect(deliveries).toEqual([]);
  });

  it.each([
    ['', false],
    [', though its agent cannot act any more', true],
  ])('is not begun again where it may have acted%s', async (_, isSafe) => {
    await start(false, false);
    const { eventId } = await hooks.ask('/agent', { message: 'one' });
    await asked(1);
    await die();
    await start(isSafe, true);
    expect(await hooks.ended(eventId)).toMatchObject({
      summary: `Hook (error): ${REFUSAL}`,
      runs: [{ status: 'interrupted', error: REFUSAL }],
      deliveries: [],
    });
    expect(hooks.journal).toEqual(['heartbeat agent:main:main']);
  });
});

describe('how a channel fares', () => {
  it('is known after a restart', async () => {
    await start(true, true);
    await hooks.ended((await hooks.ask('/agent', { message: 'one' }))['eventId']);
    hooks.chan1.answer = () => Promise.reject(new DeliveryError('the token is gone', 'auth'));
    await hooks.ended((await hooks.ask('/agent', { message: 'two' }))['eventId']);
    const before = await hooks.app.get(ExternalServices).channels();
    expect(before[0]).toMatchObject({
      state: 'failing',
      lastSuccessAt: expect.any(String),
      lastError: { kind: 'auth', message: 'the token is gone' },
    });
    await restart(true);
    expect(await hooks.app.get(ExternalServices).channels()).toEqual(before);
  });
});
