import { AgentError } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions, Trust } from '../../src/hooks/index.ts';
import { Hooks } from '../support/hooks.ts';

const AGENTS: NonNullable<HooksModuleOptions['agents']> = {
  list: [{ id: 'a' }, { id: 'b' }],
  defaults: { heartbeat: { every: '0m' } },
};

let hooks: Hooks;

const talk = (trusted: boolean) => ({
  id: trusted ? 'inside' : 'talk',
  sessionKey: 'hook:talk',
  sessionMode: 'persistent' as const,
  messageTemplate: '{{ text }}',
  wakeMode: 'next-heartbeat' as const,
  deliver: false,
  ...(trusted && { allowUnsafeExternalContent: true }),
});

beforeEach(async () => {
  hooks = await Hooks.start({ agents: AGENTS, mappings: [talk(false), talk(true)] });
});
afterEach(() => hooks.close());

async function run(path: string, body: unknown): Promise<EventDetails> {
  const { eventId } = await hooks.ask(path, body);
  return hooks.ended(eventId);
}

function trustOf(turn: number): Trust['level'] | undefined {
  return hooks.runner.turns[turn]?.contract.trust;
}

describe('a persistent session (behaviour §6)', () => {
  it('stays untrusted once it has heard foreign text, also for a trusted hook', async () => {
    await run('/inside', { text: 'one' });
    await run('/talk', { text: 'two' });
    const { runs } = await run('/inside', { text: 'three' });
    expect([0, 1, 2].map(trustOf)).toEqual(['trusted', 'untrusted', 'untrusted']);
    expect(runs).toMatchObject([{ contract: { trust: 'untrusted', allowedTools: [] } }]);
  });
});

describe('two agents (behaviour §5: the main session of the agent that ran)', () => {
  it('never hear of each other, whatever becomes of a run', async () => {
    hooks.runner.reply = ({ kind, agent, prompt }) => {
      if (kind === 'heartbeat') return 'HEARTBEAT_OK';
      if (prompt.includes('fail')) throw new AgentError('secret of b failed', 'permanent');
      return `secret of ${agent.id}`;
    };
    for (const message of ['answer', 'fail']) {
      await run('/agent', { message, agentId: 'b', channel: 'chan_2', name: 'N' });
    }
    await run('/agent', { message: 'answer', agentId: 'a', channel: 'chan_1' });
    await run('/wake', { text: 'anything new?' });
    const shownTo = (id: string) =>
      JSON.stringify(hooks.runner.turns.filter(({ agent }) => agent.id === id));
    expect(shownTo('b')).toContain('Hook N: secret of b');
    expect(shownTo('b')).toContain('Hook N (error): secret of b failed');
    expect(shownTo('b')).toContain('Hook N (delivery): no recipient');
    expect(shownTo('a')).toContain('Hook: secret of a');
    expect(shownTo('a')).not.toContain('secret of b');
    expect(shownTo('b')).not.toContain('secret of a');
  });
});

describe('the details of a run (issue 4.1, 4.8)', () => {
  it('has contract, usage, warnings and tool calls, and the log has none of them', async () => {
    const toolCalls = [
      { tool: 'a_b', input: 'confidential input', outcome: 'succeeded', result: 'r', ms: 1 },
    ] as const;
    const usage = { inputTokens: 11, outputTokens: 12 };
    hooks.runner.extras = { usage, warnings: ['confidential warning'] };
    hooks.runner.toolCalls = toolCalls;
    const { runs } = await run('/talk', { text: 'one' });
    const contract = { trust: 'untrusted', verifiedBy: 'token', mapping: 'talk', allowedTools: [] };
    expect(runs).toMatchObject([
      { contract: { ...contract, mayDeliverTo: null }, usage, toolCalls },
    ]);
    expect(runs[0]?.warnings).toEqual(['confidential warning']);
    expect(hooks.log.lines.join('\n')).not.toContain('confidential');
  });
});
