import { commandRunner } from '../../src/adapters/agents/command.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { Decision, EventDetails } from '../../src/hooks/index.ts';
import { ScriptedClaude } from '../support/claude-turn.ts';
import type { ProgramCall } from '../support/claude-turn.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import { ServiceProcess } from '../support/service-process.ts';

const DEPLOY: ProgramCall = ['Bash', { command: 'make deploy' }];
const CALL = { tool: 'Bash', input: '{"command":"make deploy"}' };

describe('a program whose tool calls a person decides about (behaviour.md §15)', () => {
  let dir: ConfigDirectory;
  let claude: ScriptedClaude;
  let hooks: Hooks;
  beforeEach(async () => {
    dir = new ConfigDirectory();
    claude = new ScriptedClaude(dir.path);
    const runner = { ...claude.runner, args: [...claude.runner.args], env: [] };
    const agent = { id: 'main', approve: 'tools', runner } as const;
    hooks = await Hooks.start({
      agents: { defaults: { heartbeat: { every: '0m' } }, list: [agent] },
      runner: commandRunner({ env: () => process.env, workspaces: dir.path }),
    });
  });
  afterEach(async () => {
    await hooks.close();
    dir[Symbol.dispose]();
  });

  async function asked(): Promise<EventDetails> {
    const given = {
      message: 'deploy it',
      wakeMode: 'next-heartbeat',
      channel: 'chan_2',
      to: 'ann',
    };
    const { eventId } = await hooks.ask('/agent', given);
    return waits(eventId);
  }
  const waits = (eventId: unknown, times = 1): Promise<EventDetails> =>
    eventually('the run waits', async () => {
      const details = await hooks.details(eventId);
      const waited = details.runs[0]?.waits.length === times;
      return details.status === 'waiting' && waited && details;
    });
  const decide = ({ runs: [run] }: EventDetails, decision: Partial<Decision> = {}) =>
    hooks.app.get(LedgerAdmin).decide(run?.waits.at(-1)?.id ?? '', {
      verdict: 'approved',
      by: 'ana',
      at: Date.now(),
      ...decision,
    });

  it('waits with what it would call, having done nothing, and does it once it is approved', async () => {
    claude.calls([[DEPLOY], [DEPLOY]]);
    const event = await asked();
    expect(event.runs[0]?.waits).toMatchObject([{ kind: 'tools', calls: [CALL] }]);
    expect(claude.done).toEqual([]);
    const [question] = await eventually('it is asked', () => {
      const { messages } = hooks.chan1;
      return messages.length === 1 && messages;
    });
    expect(question?.text).toContain('Bash {"command":"make deploy"}');
    await decide(event);
    expect((await hooks.ended(event.id)).runs).toMatchObject([{ status: 'succeeded' }]);
    expect(claude.done).toEqual(['Bash {"command":"make deploy"}']);
    expect(hooks.chan2.messages).toHaveLength(1);
  });

  it('does nothing that was denied, and its program is told so', async () => {
    claude.calls([[DEPLOY], []]);
    const event = await asked();
    await decide(event, { verdict: 'denied', reason: 'too early' });
    const { runs } = await hooks.ended(event.id);
    expect(runs).toMatchObject([{ status: 'succeeded' }]);
    expect(runs[0]?.reply).toContain('denied by ana: too early');
    expect(claude.done).toEqual([]);
  });

  it('waits again where the program calls something else than what was approved', async () => {
    const other: ProgramCall = ['Bash', { command: 'make deploy; mail everybody' }];
    claude.calls([[DEPLOY], [other], []]);
    await decide(await asked());
    const [{ id }] = (await hooks.events()) as [EventDetails];
    const again = await waits(id, 2);
    expect(again.runs[0]?.waits.at(-1)?.calls).toEqual([
      { tool: 'Bash', input: '{"command":"make deploy; mail everybody"}' },
    ]);
    expect(claude.done).toEqual([]);
  });

  it('takes an approval once: after a turn that broke off a person is asked again', async () => {
    claude.calls([[DEPLOY]]);
    const event = await asked();
    claude.calls([[DEPLOY]], { exit: 3 });
    await decide(event);
    expect((await hooks.ended(event.id)).runs).toMatchObject([{ status: 'failed' }]);
    expect(claude.done).toHaveLength(1);
    claude.calls([[DEPLOY]]);
    await hooks.retry(event.id);
    await waits(event.id, 2);
    expect(claude.done).toHaveLength(1);
  });
});

describe('such a program, and a service that is killed', () => {
  const OPERATOR = 'the-operator-token-of-the-tests';
  interface Run {
    readonly status: string;
    readonly waits: readonly { readonly id: string }[];
  }
  type Asked = Promise<{ readonly body: Record<string, unknown> }>;
  const runOnce = (status: string, event: () => Asked): Promise<Run> =>
    eventually(`the run is ${status}`, async () => {
      const [run] = (await event()).body['runs'] as Run[];
      return run?.status === status && run;
    });

  it('ends a run as interrupted whose approved call may have been made, and asks again by a retry', async () => {
    using dir = new ConfigDirectory();
    const claude = new ScriptedClaude(dir.path).calls([[DEPLOY]]);
    const token = 'the-hook-token-of-the-tests';
    dir.write('gateway.json5', {
      gateway: { auth: { token: OPERATOR } },
      hooks: { enabled: true, token },
      agents: { list: [{ id: 'main', approve: 'tools', runner: claude.runner }] },
    });
    await using killed = await ServiceProcess.listening(dir.path);
    const given = { message: 'deploy it', deliver: false, wakeMode: 'next-heartbeat' };
    const { body } = await killed.ask('/hooks/agent', { token, body: given });
    const event = `/ops/api/events/${String(body['eventId'])}`;
    const { waits } = await runOnce('waiting', () => killed.ask(event, { token: OPERATOR }));
    claude.calls([[DEPLOY]], { hangs: true });
    const decide = `/ops/api/waits/${waits[0]?.id}/decide`;
    await killed.ask(decide, { token: OPERATOR, body: { verdict: 'approved' } });
    await eventually('the call is made', () => claude.done.length === 1);
    killed.signal('SIGKILL');
    await killed.ended();
    claude.calls([[DEPLOY]]);
    await using next = await ServedGateway.start(dir.path);
    await runOnce('interrupted', () => next.get(event));
    await next.post(`${event}/retry`, {});
    const again = await runOnce('waiting', () => next.get(event));
    expect(again.waits).toHaveLength(2);
    expect(claude.done).toHaveLength(1);
  });
});
