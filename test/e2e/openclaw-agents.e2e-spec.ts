import JSON5 from 'json5';
import { agentRunner } from '../../src/agents.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import { documented } from '../real/programs.ts';

interface Rpc {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const JOB = '1296db75-758c-475e-bca5-128031a2c902';
const GONE = `cron job not found: ${JOB}`;

/** Answers and webhooks as OpenClaw 2026.9.6 was seen to make them (test/real/openclaw-agents.real-spec.ts). */
describe('an automation of OpenClaw (docs/agents.md)', () => {
  let hooks: Hooks;
  let clock: ManualClock;
  let openClaw: ScriptedServer;
  /** What the job has come to. */
  let entries: object[];
  let job: object | null;

  beforeEach(async () => {
    entries = [];
    job = { id: JOB, enabled: true };
    openClaw = new ScriptedServer(({ body }) => {
      const { method } = body as Rpc;
      const isGone = method === 'cron.get' && job === null;
      const error = { code: 'INVALID_REQUEST', message: GONE };
      const payload = method === 'cron.runs' ? { entries, total: entries.length } : job;
      const said = isGone ? { id: 'r', ok: false, error } : { id: 'r', ok: true, payload };
      const headers = { 'content-type': 'application/json' };
      return { status: isGone ? 400 : 200, headers, chunks: [JSON.stringify(said)] };
    });
    await openClaw.listen();
    clock = new ManualClock();
    const [configuration = ''] = documented('OpenClaw');
    const { agents, hooks: own } = JSON5.parse<HooksModuleOptions & { hooks: object }>(
      configuration
        .replace('http://127.0.0.1:18789', openClaw.origin)
        .replace(/\$\{\w+\}/, 'agent-key'),
    );
    const given = { models: () => ({ providers: {} }), env: () => ({}), workspaces: 'none', clock };
    hooks = await Hooks.start({ ...own, agents, clock, runner: agentRunner(given) });
  });
  afterEach(async () => {
    await hooks.close();
    await openClaw.close();
  });

  const asked = (): Rpc[] => openClaw.requests.map(({ body }) => body as Rpc);
  const methods = (): string[] => asked().map(({ method }) => method);
  const wait = async (id: unknown) => (await hooks.details(id)).runs[0]?.waits.at(-1);
  const waits = (id: unknown): Promise<EventDetails> =>
    eventually('the run waits', async () => {
      const details = await hooks.details(id);
      const isOpen = details.runs[0]?.waits.at(-1)?.decision === null;
      return details.status === 'waiting' && openClaw.requests.length > 0 && isOpen && details;
    });
  /** @returns its event and where it is called back */
  async function begin(): Promise<{ id: string; back: string; token: string }> {
    const sent = { message: 'build it', wakeMode: 'next-heartbeat', channel: 'chan_2', to: 'me' };
    const { id, runs } = await waits((await hooks.ask('/agent', sent))['eventId']);
    const { delivery } = asked()[0]!.params as { delivery: { mode: string; to: string } };
    const url = `https://hooks.example.com/hooks/runs/${runs[0]?.id}/`;
    expect(delivery.mode).toBe('webhook');
    expect(delivery.to.slice(0, url.length)).toBe(url);
    const token = delivery.to.slice(url.length);
    expect(token).toMatch(/^hookrun_[\w-]{43}$/);
    return { id, token, back: new URL(delivery.to).pathname };
  }
  /** As its webhook does: without a header of ours. */
  async function callBack(path: string, event: object): Promise<number> {
    const { status } = await fetch(hooks.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jobId: JOB, action: 'finished', delivery: { to: path }, ...event }),
    });
    return status;
  }

  it('is added as one that runs once, and tells of its end at a URL of its own', async () => {
    const { id, back, token } = await begin();
    expect(openClaw.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/admin/rpc',
      headers: { authorization: 'Bearer agent-key' },
    });
    expect(asked()).toMatchObject([
      {
        method: 'cron.add',
        params: {
          agentId: 'main',
          schedule: { kind: 'at' },
          sessionTarget: 'isolated',
          wakeMode: 'now',
          payload: { kind: 'agentTurn', message: expect.stringContaining('build it') },
        },
      },
    ]);
    expect(await callBack(back, { status: 'ok', summary: 'It is built.' })).toBe(200);
    expect((await hooks.ended(id)).runs).toMatchObject([
      { status: 'succeeded', reply: 'It is built.' },
    ]);
    expect(await callBack(back, { status: 'ok', summary: 'It is built twice.' })).toBe(200);
    expect(hooks.chan2.messages.map(({ text }) => text)).toEqual(['It is built.']);
    expect(methods()).toEqual(['cron.add']);
    expect(JSON.stringify(await hooks.events())).not.toContain(token);
    expect(JSON.stringify(hooks.log)).not.toContain(token);
  });

  it('is not believed at a URL that is not its own', async () => {
    const { id, back, token } = await begin();
    const forged = [
      back.replace(token, `hookrun_${'A'.repeat(43)}`),
      back.replace(/runs\/[^/]+/, 'runs/0198c5c2-0000-7000-8000-000000000000'),
      `${back}/more`,
      back.replace('/hookrun_', '//hookrun_'),
    ];
    for (const path of forged) {
      expect(await callBack(path, { status: 'ok', summary: 'forged' })).toBe(401);
    }
    expect(await hooks.stored()).toBe(1);
    expect(await wait(id)).toMatchObject({ decision: null });
  });

  it('is asked what became of an error, which another attempt may follow', async () => {
    const { id, back } = await begin();
    expect(await callBack(back, { status: 'error', error: 'no model' })).toBe(200);
    await eventually('it is asked', () => methods().length === 2);
    entries = [{ status: 'error', error: 'no model' }];
    await waits(id);
    clock.advance(60_000);
    await eventually('it is asked again', () => methods().length === 4);
    expect(methods()).toEqual(['cron.add', 'cron.runs', 'cron.runs', 'cron.get']);
    await waits(id);
    entries = [{ status: 'ok', summary: 'It is built.' }];
    clock.advance(60_000);
    expect((await hooks.ended(id)).runs).toMatchObject([{ reply: 'It is built.' }]);
  });

  it.each([
    ['is disabled', { id: JOB, enabled: false }],
    ['is gone', null],
  ])('fails with its words where the job %s', async (_, left) => {
    const { id } = await begin();
    entries = [{ status: 'error', error: 'no model' }];
    job = left;
    clock.advance(60_000);
    expect((await hooks.ended(id)).runs).toMatchObject([{ status: 'failed', error: 'no model' }]);
  });

  it('waits on while OpenClaw is away', async () => {
    const { id } = await begin();
    openClaw.next({ cut: 'at-once' });
    clock.advance(60_000);
    await eventually('it is asked', () => methods().length === 2);
    entries = [{ status: 'ok', summary: 'It is built.' }];
    await eventually('it is asked again', () => {
      clock.advance(60_000);
      return methods().length > 2;
    });
    expect((await hooks.ended(id)).runs).toMatchObject([{ reply: 'It is built.' }]);
  });

  it('is removed when its run is denied', async () => {
    const { id } = await begin();
    const denied = { verdict: 'denied', by: 'ana', at: clock.now() } as const;
    const open = (await wait(id))?.id ?? '';
    expect(await hooks.app.get(LedgerAdmin).decide(open, denied)).toBe('decided');
    await hooks.ended(id);
    expect(asked().at(-1)).toEqual({ method: 'cron.remove', params: { id: JOB } });
  });
});
