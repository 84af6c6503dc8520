import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { agentRunner } from '../../src/agents.ts';
import { LedgerAdmin, SystemClock } from '../../src/hooks/index.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { Front } from './front.ts';
import { PROGRAMS } from './programs.ts';

const AGENT = fileURLToPath(new URL('a2a-agent.mjs', import.meta.url));
const QUIET = { wakeMode: 'next-heartbeat' } as const;

describe('an agent on @a2a-js/sdk', () => {
  let hooks: Hooks;
  let agent: ChildProcess;
  let front: Front;
  let said: string;

  async function start(given: { publicUrl?: undefined; pollSeconds?: number } = {}): Promise<void> {
    said = '';
    agent = spawn(process.execPath, [AGENT, PROGRAMS], { stdio: ['ignore', 'pipe', 'inherit'] });
    agent.stdout?.on('data', (chunk) => (said += String(chunk)));
    const port = await eventually('the agent listens', () => /^\d+$/m.exec(said)?.[0]);
    front = await Front.start(() => hooks.url);
    const { pollSeconds = 3600, ...more } = given;
    const runner = {
      type: 'http',
      mode: 'callback',
      protocol: 'a2a',
      baseUrl: `http://127.0.0.1:${port}/`,
      pollSeconds,
    } as const;
    hooks = await Hooks.start({
      agents: { defaults: { heartbeat: { every: '0m' }, runner } },
      clock: new SystemClock(),
      publicUrl: front.url,
      runner: agentRunner({
        models: () => ({ providers: {} }),
        env: () => ({}),
        workspaces: 'none',
      }),
      ...more,
    });
  }
  afterEach(async () => {
    await hooks.close();
    agent.kill();
    await front[Symbol.asyncDispose]();
  });
  const ask = async (message: string) =>
    (await hooks.ask('/agent', { message, ...QUIET }))['eventId'];

  it('pushes what it does, and is asked for what it made', async () => {
    await start();
    const { runs } = await hooks.ended(await ask('Question 7'));
    expect(runs).toMatchObject([{ status: 'succeeded', reply: 'I heard 7.' }]);
    expect(runs[0]?.waits.map(({ question }) => question)).toContain('reading');
    const tokens = new Set(front.passed.map(({ headers }) => headers.authorization));
    expect([...tokens]).toEqual([expect.stringMatching(/^Bearer hookrun_/)]);
  });

  it('is asked alone where nobody can reach us', async () => {
    await start({ publicUrl: undefined, pollSeconds: 1 });
    const { runs } = await hooks.ended(await ask('Question 8'));
    expect(runs).toMatchObject([{ status: 'succeeded', reply: 'I heard 8.' }]);
    expect(front.passed).toEqual([]);
  });

  it('fails with its own words', async () => {
    await start();
    const { runs } = await hooks.ended(await ask('Question 9 and fail'));
    expect(runs).toMatchObject([
      { status: 'failed', error: 'the task is failed: there is no such thing' },
    ]);
  });

  it('is told to end', async () => {
    await start();
    const event = await ask('wait for ever');
    const wait = await eventually('it works', async () => {
      const last = (await hooks.details(event)).runs[0]?.waits.at(-1);
      return last?.question === 'reading' && last.decision === null && last.id;
    });
    const denied = { verdict: 'denied', by: 'ana', at: Date.now() } as const;
    expect(await hooks.app.get(LedgerAdmin).decide(wait, denied)).toBe('decided');
    expect((await hooks.ended(event)).runs).toMatchObject([
      { status: 'failed', error: 'denied by ana' },
    ]);
    await eventually('the agent hears of it', () => said.includes('canceled'));
  });
});
