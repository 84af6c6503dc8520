import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { agentRunner } from '../../src/agents.ts';
import { LedgerAdmin, SystemClock } from '../../src/hooks/index.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { PROGRAMS } from './programs.ts';

const AGENT = fileURLToPath(new URL('a2a-agent.mjs', import.meta.url));
const QUIET = { wakeMode: 'next-heartbeat' } as const;

describe('an agent on @a2a-js/sdk', () => {
  let hooks: Hooks;
  let agent: ChildProcess;
  /** Stands where the agent reaches us, since that has to be known before we listen. */
  let front: Server;
  let pushes: (string | undefined)[];
  let said: string;

  async function start(given: { publicUrl?: undefined; pollSeconds?: number } = {}): Promise<void> {
    pushes = [];
    said = '';
    agent = spawn(process.execPath, [AGENT, PROGRAMS], { stdio: ['ignore', 'pipe', 'inherit'] });
    agent.stdout?.on('data', (chunk) => (said += String(chunk)));
    const port = await eventually('the agent listens', () => /^\d+$/m.exec(said)?.[0]);
    front = createServer((request, response) => {
      const { method, headers, url = '' } = request;
      pushes.push(headers.authorization);
      const passed = httpRequest(hooks.url + url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const publicUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
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
      publicUrl,
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
    front.closeAllConnections();
    front.close();
  });
  const ask = async (message: string) =>
    (await hooks.ask('/agent', { message, ...QUIET }))['eventId'];

  it('pushes what it does, and is asked for what it made', async () => {
    await start();
    const { runs } = await hooks.ended(await ask('Question 7'));
    expect(runs).toMatchObject([{ status: 'succeeded', reply: 'I heard 7.' }]);
    expect(runs[0]?.waits.map(({ question }) => question)).toContain('reading');
    expect(new Set(pushes).size).toBe(1);
    expect(pushes[0]).toMatch(/^Bearer hookrun_/);
  });

  it('is asked alone where nobody can reach us', async () => {
    await start({ publicUrl: undefined, pollSeconds: 1 });
    const { runs } = await hooks.ended(await ask('Question 8'));
    expect(runs).toMatchObject([{ status: 'succeeded', reply: 'I heard 8.' }]);
    expect(pushes).toEqual([]);
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
