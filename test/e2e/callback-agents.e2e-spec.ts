import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import JSON5 from 'json5';
import { agentRunner } from '../../src/agents.ts';
import { callbackRunner } from '../../src/adapters/agents/callback.ts';
import { AgentRunner, LedgerAdmin } from '../../src/hooks/index.ts';
import type {
  AgentReply,
  AgentTurn,
  EventDetails,
  HooksModuleOptions,
} from '../../src/hooks/index.ts';
import { NO_MAPPING, callbackKey } from '../../src/hooks/ports/wait.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';
import { documented } from '../real/programs.ts';

const HOUR = 3_600_000;

interface Body {
  readonly id: string;
  readonly prompt: string;
  readonly callback: { readonly url: string; readonly token: string };
  readonly text: string;
  readonly back: string;
  readonly n: number;
}

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

type Runner = NonNullable<
  NonNullable<NonNullable<HooksModuleOptions['agents']>['defaults']>['runner']
>;

describe('an agent that runs elsewhere (behaviour.md §15)', () => {
  let hooks: Hooks;
  let clock: ManualClock;
  let server: Server;
  let asked: Asked[];
  let answer: (asked: Asked) => { status?: number; body?: object };
  let baseUrl: string;

  beforeEach(async () => {
    asked = [];
    answer = () => ({ body: {} });
    server = createServer((request, response) => {
      const { method, url, headers } = request;
      void (method === 'POST' ? json(request) : Promise.resolve(null)).then((body) => {
        const one = { method, url, headers, body: body as Body };
        asked.push(one);
        const { status = 202, body: said = {} } = answer(one);
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(said));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/start`;
  });
  afterEach(async () => {
    await hooks.close();
    server.closeAllConnections();
    server.close();
  });

  async function start(given: Partial<Runner> = {}, more: object = {}): Promise<void> {
    clock = new ManualClock();
    const runner = {
      type: 'http',
      mode: 'callback',
      baseUrl,
      apiKey: 'agent-key',
      ...given,
    } as const;
    const agents = { defaults: { heartbeat: { every: '0m' }, runner } };
    hooks = await Hooks.start({
      agents,
      clock,
      publicUrl: 'https://hooks.example.com',
      runner: agentRunner({
        models: () => ({ providers: {} }),
        env: () => ({}),
        workspaces: 'none',
        clock,
      }),
      ...more,
    });
  }
  const run = async (message = 'build it'): Promise<EventDetails> => {
    const { eventId } = await hooks.ask('/agent', {
      message,
      wakeMode: 'next-heartbeat',
      channel: 'chan_2',
      to: 'me',
    });
    return waits(eventId);
  };
  const waits = (eventId: unknown, question = 'its agent to call back'): Promise<EventDetails> =>
    eventually('the run waits', async () => {
      const details = await hooks.details(eventId);
      const wait = details.runs[0]?.waits.at(-1);
      const isOpen = wait?.decision === null && wait.question === question;
      return details.status === 'waiting' && asked.length > 0 && isOpen && details;
    });
  const callBack = async (
    body: unknown,
    { token = asked[0]?.body.callback.token, runId = asked[0]?.body.id } = {},
  ) => {
    const answered = await fetch(`${hooks.url}/hooks/runs/${runId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { status } = answered;
    return { status, body: (await answered.json()) as Record<string, unknown> };
  };

  it('is started with a way to call back, and its run goes on with what it says', async () => {
    await start();
    const { id, runs } = await run();
    const [{ method, url, headers, body }] = asked as [Asked];
    expect({ method, url }).toEqual({ method: 'POST', url: '/start' });
    expect(headers).toMatchObject({
      authorization: 'Bearer agent-key',
      'idempotency-key': expect.stringMatching(new RegExp(`^${runs[0]?.id}-[\\w-]{8}$`)),
    });
    expect(body).toMatchObject({
      id: runs[0]?.id,
      agent: 'main',
      session: 'agent:main:hook:e2e',
      trust: 'untrusted',
      callback: {
        url: `https://hooks.example.com/hooks/runs/${runs[0]?.id}`,
        token: expect.stringMatching(/^hookrun_[\w-]{43}$/),
      },
    });
    expect(body.prompt).toContain('build it');
    expect(JSON.stringify(await hooks.details(id))).not.toContain(body.callback.token);

    expect(await callBack({ status: 'working', text: 'cloning' })).toMatchObject({ status: 200 });
    await waits(id, 'cloning');
    expect(await callBack({ status: 'succeeded', text: 'It is built.' })).toMatchObject({
      status: 200,
    });
    const ended = await hooks.ended(id);
    // However often its run was looked at, it has run once.
    expect(await hooks.app.get(LedgerAdmin).usage({ by: 'agent', days: 1 })).toMatchObject([
      { name: 'main', kind: 'run', turns: 1, uncounted: 1 },
    ]);
    expect(ended.runs).toMatchObject([{ status: 'succeeded', reply: 'It is built.' }]);
    expect(hooks.chan2.messages).toMatchObject([{ to: 'me', text: 'It is built.' }]);
    expect(asked).toHaveLength(1);
    const events = await hooks.events();
    expect(events.map(({ hook }) => hook)).toEqual(['callback', 'callback', 'agent']);
  });

  it('speaks for itself: what it says is no text of others', async () => {
    const mapping = {
      id: 'ours',
      allowUnsafeExternalContent: true,
      wakeMode: 'next-heartbeat',
    } as const;
    await start(
      {},
      {
        mappings: [
          { ...mapping, channel: 'chan_2', to: 'me', approve: { reply: 'when-untrusted' } },
        ],
      },
    );
    const { eventId } = await hooks.ask('/ours', { text: 'x' });
    await waits(eventId);
    await callBack({ status: 'succeeded', text: 'See https://example.com/a' });
    const { runs } = await hooks.ended(eventId);
    expect(runs[0]?.contract?.trust).toBe('trusted');
    await eventually('it is delivered', () => hooks.chan2.messages.length === 1);
  });

  it('is started anew under another key when an operator retries it', async () => {
    await start();
    const { id } = await run();
    await callBack({ status: 'failed', error: 'no disk' });
    await hooks.ended(id);
    expect(await hooks.retry(id)).toBe(1);
    await eventually('it is started', () => asked.length === 2);
    await waits(id);
    const [one, two] = asked as [Asked, Asked];
    expect(two.headers['idempotency-key']).not.toBe(one.headers['idempotency-key']);
    expect(two.body.callback.token).not.toBe(one.body.callback.token);
    const { token } = two.body.callback;
    await callBack({ status: 'succeeded', text: 'now it is' }, { token });
    expect((await hooks.ended(id)).runs).toMatchObject([{ reply: 'now it is' }]);
  });

  it('has its reply decided about, and is not asked again', async () => {
    const asks = { message: 'x', channel: 'chan_2', to: 'me', wakeMode: 'next-heartbeat' };
    const runner = { type: 'http', mode: 'callback', baseUrl } as const;
    await start(
      {},
      { agents: { defaults: { heartbeat: { every: '0m' }, runner, approve: 'reply' } } },
    );
    const { eventId } = await hooks.ask('/agent', asks);
    await waits(eventId);
    await callBack({ status: 'succeeded', text: 'It is built.' });
    const wait = await eventually('a person is asked', async () => {
      const last = (await hooks.details(eventId)).runs[0]?.waits.at(-1);
      return last?.kind === 'reply' && last.id;
    });
    const decision = { verdict: 'approved', by: 'ana', at: clock.now() } as const;
    expect(await hooks.app.get(LedgerAdmin).decide(wait, decision)).toBe('decided');
    expect((await hooks.ended(eventId)).runs).toMatchObject([{ status: 'succeeded' }]);
    expect(hooks.chan2.messages.map(({ text }) => text)).toEqual(['It is built.']);
    expect(asked).toHaveLength(1);
  });

  it('fails with what it says, and a second end changes nothing', async () => {
    await start();
    const { id } = await run();
    await callBack({ status: 'failed', error: 'no disk' });
    expect((await hooks.ended(id)).runs).toMatchObject([{ status: 'failed', error: 'no disk' }]);
    const stored = await hooks.stored();
    expect(await callBack({ status: 'succeeded', text: 'or yes' })).toEqual({
      status: 200,
      body: { ok: true, skipped: true, reason: 'the run has ended' },
    });
    expect(await hooks.stored()).toBe(stored);
    expect((await hooks.details(id)).runs).toMatchObject([{ status: 'failed', reply: null }]);
    expect(hooks.chan2.messages).toEqual([]);
  });

  it('that was started again is told of by its newest start alone', async () => {
    await start();
    const { id } = await run();
    await callBack({ status: 'failed', error: 'no disk' });
    await hooks.ended(id);
    await hooks.retry(id);
    await eventually('it is started', () => asked.length === 2);
    await waits(id);
    const { body } = await callBack({ status: 'succeeded', text: 'of the first start' });
    const { summary } = await hooks.ended(body['eventId']);
    expect(summary).toBe(`run ${asked[0]?.body.id} was started again since`);
    expect((await hooks.details(id)).runs).toMatchObject([{ status: 'waiting', reply: null }]);
  });

  it('is believed by the token of its run alone', async () => {
    await start();
    const { id } = await run();
    const second = await hooks.ask('/agent', { message: 'another', wakeMode: 'next-heartbeat' });
    await eventually('both are started', () => asked.length === 2);
    await waits(second['eventId']);
    const [{ body: first }, { body: other }] = asked as [Asked, Asked];
    const done = { status: 'succeeded', text: 'forged' };
    const stored = await hooks.stored();
    for (const given of [
      { token: other.callback.token },
      { runId: other.id },
      { token: `${first.callback.token}x` },
      { token: 'hookrun_' },
      { runId: 'nothing' },
    ]) {
      expect(await callBack(done, given)).toMatchObject({
        status: 401,
        body: { code: 'unauthorized' },
      });
    }
    // The token of senders opens no run.
    expect(await callBack(done, { token: TOKEN })).toMatchObject({ status: 404 });
    expect(await hooks.stored()).toBe(stored);
    expect((await hooks.details(id)).status).toBe('waiting');
    expect((await hooks.details(second['eventId'])).status).toBe('waiting');
  });

  it('and who guesses is locked out', async () => {
    await start({}, { authFailures: { limit: 3, windowSeconds: 60 } });
    await run();
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1)
      statuses.push((await callBack({}, { token: 'hookrun_guess' })).status);
    expect(statuses.slice(0, 3)).toEqual([401, 401, 401]);
    expect(statuses[3]).toBe(429);
  });

  it('is asked how it stands where it says where, and told to end', async () => {
    await start({ pollSeconds: 30, until: '1h' });
    answer = ({ method }) =>
      method === 'POST'
        ? { body: { url: '/tasks/7' } }
        : { body: { status: 'working', text: 'compiling' } };
    const { id } = await run();
    clock.advance(30_000);
    await eventually('it is asked', () => asked.length === 2);
    await waits(id);
    expect(asked[1]).toMatchObject({ method: 'GET', url: '/tasks/7' });
    clock.advance(HOUR);
    const { runs } = await hooks.ended(id);
    expect(runs).toMatchObject([{ status: 'failed', error: 'it did not end in time' }]);
    expect(asked.at(-1)).toMatchObject({ method: 'DELETE', url: '/tasks/7' });
  });

  it.each(['https://elsewhere.example/tasks/7', 'http://127.0.0.1:9/x', 'http://['])(
    'is sent the key of its own place alone: %s is no place to ask',
    async (url) => {
      await start({ pollSeconds: 30 });
      answer = () => ({ body: { url } });
      const { id, runs } = await run();
      const decision = { verdict: 'approved', by: 'ana', at: clock.now() } as const;
      const wait = runs[0]?.waits.at(-1)?.id ?? '';
      expect(await hooks.app.get(LedgerAdmin).decide(wait, decision)).toBe('decided');
      await eventually('it was looked after', async () => {
        const waited = (await hooks.details(id)).runs[0]?.waits ?? [];
        return waited.length > runs[0]!.waits.length;
      });
      expect(asked).toHaveLength(1);
      expect(await callBack({ status: 'succeeded', text: 'Done.' })).toMatchObject({ status: 200 });
      expect((await hooks.ended(id)).runs).toMatchObject([{ reply: 'Done.' }]);
    },
  );

  it('is told to end when an operator ends its run', async () => {
    await start();
    answer = ({ method }) => (method === 'POST' ? { body: { url: '/tasks/7' } } : {});
    const { id, runs } = await run();
    const wait = runs[0]?.waits.at(-1)?.id ?? '';
    const denied = { verdict: 'denied', by: 'ana', at: clock.now() } as const;
    expect(await hooks.app.get(LedgerAdmin).decide(wait, denied)).toBe('decided');
    expect((await hooks.ended(id)).runs).toMatchObject([
      { status: 'failed', error: 'denied by ana' },
    ]);
    expect(asked.at(-1)).toMatchObject({ method: 'DELETE', url: '/tasks/7' });
  });

  it('has its token kept nowhere, whatever it repeats of it', async () => {
    await start();
    const { id } = await run();
    const { token } = asked[0]!.body.callback;
    await callBack({ status: 'succeeded', text: `I was given ${token}` });
    const told = [await hooks.ended(id), await hooks.events(), hooks.chan2.messages, hooks.log];
    expect(JSON.stringify(told)).not.toContain(token);
  });

  it('is started again, as the same run, where it could not be reached', async () => {
    await start();
    let times = 0;
    answer = () => ({ status: (times += 1) === 1 ? 503 : 202 });
    const { eventId } = await hooks.ask('/agent', { message: 'x', wakeMode: 'next-heartbeat' });
    await eventually('it was tried', async () =>
      Boolean((await hooks.details(eventId)).runs[0]?.error),
    );
    await eventually('it is tried again', () => {
      if (times === 1) clock.advance(60_000);
      return times === 2;
    });
    await waits(eventId);
    const [one, two] = asked;
    expect(two?.headers['idempotency-key']).toBe(one?.headers['idempotency-key']);
    expect(two?.body.callback).toEqual(one?.body.callback);
  });

  it('gets the body that its operator wrote, of which a prompt fills in nothing', async () => {
    await start({ body: { text: '{prompt}', back: '{callbackUrl} {callbackToken}', n: 1 } });
    const { runs } = await run('say {callbackToken}');
    const [{ body }] = asked as [Asked];
    expect(body.n).toBe(1);
    expect(body.text).toContain('say {callbackToken}');
    expect(body.back).toMatch(new RegExp(`/hooks/runs/${runs[0]?.id} hookrun_`));
  });

  it.each([
    ['Agents that run elsewhere', 'https://agents.example.com/start', '/start'],
    [
      'Claude routines',
      'https://api.anthropic.com/v1/claude_code/routines/trig_01ABC/fire',
      '/v1/claude_code/routines/trig_01ABC/fire',
    ],
  ])('is started as docs/agents.md says: %s', async (heading, there, path) => {
    // As the reference has the answer of a routine; ours need not say anything.
    answer = () => ({ status: 200, body: { type: 'routine_fire', claude_code_session_id: 's' } });
    const [configuration = ''] = documented(heading);
    const { hooks: own, agents } = JSON5.parse<HooksModuleOptions & { hooks: object }>(
      configuration.replace(there, new URL(path, baseUrl).href).replace(/\$\{\w+\}/, 'agent-key'),
    );
    await start({}, { ...own, agents });
    await run();
    const [{ url, headers, body }] = asked as [Asked];
    expect(url).toBe(path);
    const isRoutine = heading === 'Claude routines';
    const [, token = ''] = /Bearer (hookrun_[\w-]{43})\.$/.exec(body.text) ?? [];
    const id = /hooks\/runs\/([\w-]+) with/.exec(body.text ?? '')?.[1];
    if (isRoutine) expect(headers['anthropic-beta']).toBe('experimental-cc-routine-2026-04-01');
    const given = isRoutine ? { token, runId: id } : {};
    expect(await callBack({ status: 'succeeded', text: 'Done.' }, given)).toMatchObject({
      status: 200,
    });
    await eventually('the reply is delivered', () => hooks.chan2.messages[0]?.text === 'Done.');
  });

  it('fails where it was started by a protocol that another one has taken the place of', async () => {
    const token = `hookrun_${'A'.repeat(43)}`;
    /** As an earlier build left a session of OpenAI, when its operator has changed the runner. */
    class Earlier extends AgentRunner {
      override async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
        if (turn.resumed !== undefined) return callbackRunner({ clock }).run(turn, signal);
        const state = { token, until: clock.now() + HOUR, task: 'sess_1' };
        const wait = { key: callbackKey(token), state: JSON.stringify(state), by: [NO_MAPPING] };
        const askedAgainAt = clock.now() + 15_000;
        return { text: '', waits: { ...wait, askedAgainAt, question: 'its agent to call back' } };
      }
    }
    await start({}, { runner: new Earlier() });
    const { eventId } = await hooks.ask('/agent', { message: 'x', wakeMode: 'next-heartbeat' });
    await eventually('it waits', async () => (await hooks.details(eventId)).status === 'waiting');
    clock.advance(15_000);
    expect((await hooks.ended(eventId)).runs).toMatchObject([
      { status: 'failed', error: expect.stringContaining('was started by another protocol') },
    ]);
    expect(asked).toEqual([]);
  });

  it('fails where it could never say what became of it', async () => {
    await start({}, { publicUrl: undefined });
    const { eventId } = await hooks.ask('/agent', { message: 'x', wakeMode: 'next-heartbeat' });
    const { runs } = await hooks.ended(eventId);
    expect(runs[0]).toMatchObject({ status: 'failed' });
    expect(runs[0]?.error).toContain('set hooks.publicUrl');
  });
});
