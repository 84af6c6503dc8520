import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentReply, AgentTurn } from '../../src/hooks/ports/agent-runner.ts';
import type { CommandSettings } from '../../src/hooks/ports/agent-directory.ts';
import { getText } from '../../src/platform/objects.ts';
import { ScriptedClaude } from '../support/claude-turn.ts';
import type { ProgramCall } from '../support/claude-turn.ts';
import { failedCommand, runCommand } from '../support/command-turn.ts';
import { ConfigDirectory } from '../support/config-directory.ts';

interface Told {
  readonly args: string[];
  readonly input: string;
  readonly answers: { behavior: string; message?: string }[];
}

const DEPLOY: ProgramCall = ['Bash', { command: 'make deploy', description: 'Deploy' }];
const MAIL: ProgramCall = ['Bash', { command: 'mail everybody', description: 'Mail' }];
const ASKED = { tool: 'Bash', input: JSON.stringify(DEPLOY[1]) };

describe('commandRunner: tools that a person decides about, with a permission prompt', () => {
  let dir: ConfigDirectory;
  let claude: ScriptedClaude;
  /** Of a turn that asked about {@link DEPLOY}. */
  let state: string;
  beforeAll(async () => {
    dir = new ConfigDirectory();
    claude = new ScriptedClaude(dir.path).calls([[DEPLOY]]);
    ({ state } = (await take()).asks!);
  });
  afterEach(() => claude.forget());
  afterAll(() => dir[Symbol.dispose]());

  const asks: AgentTurn['asks'] = { tools: ['*'], canWait: true };
  const take = (over: Partial<AgentTurn> = {}, more: Partial<CommandSettings> = {}) =>
    runCommand(dir.path, { ...claude.runner, ...more }, { asks, ...over });
  const approved = () => take({ resumed: { state, isApproved: true } });
  const told = ({ text }: AgentReply): Told => JSON.parse(text) as Told;

  it('asks about a call that it has not made, and ends the program', async () => {
    claude.calls([[DEPLOY, MAIL]]);
    const reply = await take();
    expect(reply).toEqual({ text: '', asks: { calls: [ASKED], state: expect.any(String) } });
    expect(claude.done).toEqual([]);
  });

  it('lets exactly the approved call through, in the conversation that it continues', async () => {
    claude.calls([[DEPLOY]]);
    const { args, input, answers } = told(await approved());
    expect(claude.done).toEqual([`Bash ${ASKED.input}`]);
    expect(args.slice(0, 5)).toEqual(['-p', '--output-format', 'json', '--resume', 'session-1']);
    expect(input).toContain('A person has approved what you were interrupted for: Bash.');
    expect(input).not.toContain('make deploy');
    expect(answers).toEqual([{ behavior: 'allow', updatedInput: DEPLOY[1] }]);
  });

  it('knows a call by its tool and input, whatever the order of its keys', async () => {
    const reordered = Object.fromEntries(Object.entries(DEPLOY[1]).toReversed());
    claude.calls([[['Bash', reordered]]]);
    await approved();
    expect(claude.done).toHaveLength(1);
  });

  it.each([
    ['another input', ['Bash', { ...DEPLOY[1], command: 'make deploy && rm -rf /' }]],
    ['one more key', ['Bash', { ...DEPLOY[1], run_in_background: true }]],
    ['another tool', ['Write', DEPLOY[1]]],
  ] satisfies [string, ProgramCall][])('asks anew about %s', async (_, other) => {
    claude.calls([[other]]);
    const { asks: again } = await approved();
    expect(again?.calls).toEqual([{ tool: other[0], input: JSON.stringify(other[1]) }]);
    expect(claude.done).toEqual([]);
  });

  it('lets it through once', async () => {
    claude.calls([[DEPLOY, DEPLOY]]);
    expect((await approved()).asks?.calls).toEqual([ASKED]);
    expect(claude.done).toHaveLength(1);
  });

  it('tells a program that was denied why, and asks anew about the same call', async () => {
    claude.calls([[], [DEPLOY]]);
    const resumed = { state, isApproved: false, reason: 'denied by ana: too early' };
    expect(told(await take({ resumed })).input).toContain('(Bash): denied by ana: too early.');
    expect((await take({ resumed })).asks?.calls).toEqual([ASKED]);
    expect(claude.done).toEqual([]);
  });

  it.each([
    ['workspace', { workspace: 'elsewhere' }],
    ['program', { runner: 'other' }],
  ])('asks again where another %s would do it by now', async (_, changed) => {
    claude.calls([[DEPLOY]]);
    const runner = 'runner' in changed ? { ...claude.runner, env: ['API_KEY'] } : claude.runner;
    const workspace = 'workspace' in changed ? { workspace: dir.path } : {};
    const agent = { id: 'ops', timeoutSeconds: 600, runner, ...workspace };
    const again = await take({ agent, resumed: { state, isApproved: true } });
    expect(again.asks?.calls).toEqual([ASKED]);
    expect(again.asks?.state).not.toBe(state);
    expect(claude.done).toEqual([]);
  });

  it('keeps each call once, and at most twenty, of a program that goes on although it was interrupted', async () => {
    const many = Array.from({ length: 30 }, (_, n): ProgramCall => ['Bash', { command: `${n}` }]);
    claude.calls([[DEPLOY, DEPLOY, ...many]], { isDeaf: true });
    const { asks: asked } = await take();
    expect(asked?.calls).toHaveLength(20);
    expect(asked?.calls.slice(0, 2)).toEqual([ASKED, { tool: 'Bash', input: '{"command":"0"}' }]);
    expect(claude.done).toEqual([]);
  });

  it('asks about the named tools alone, and refuses what the program itself would', async () => {
    claude.calls([[['WebFetch', { url: 'https://example.com' }], DEPLOY]]);
    const { asks: asked } = await take({ asks: { tools: ['Bash', 'mcp__*'], canWait: true } });
    expect(asked?.calls).toEqual([ASKED]);
    claude.calls([[['WebFetch', { url: 'https://example.com' }]]]);
    const [refused] = told(await take({ asks: { tools: ['Bash'], canWait: true } })).answers;
    expect(refused).toMatchObject({
      behavior: 'deny',
      message: expect.stringMatching(/settings .* do not allow/),
    });
  });

  it('refuses what nobody can be asked about, and the turn goes on', async () => {
    claude.calls([[DEPLOY, MAIL]]);
    const { answers } = told(await take({ asks: { tools: ['*'], canWait: false } }));
    const refusal = { behavior: 'deny', message: expect.stringContaining('nobody can be asked') };
    expect(answers).toEqual([refusal, refusal]);
    expect(claude.done).toEqual([]);
  });

  it.each([
    ['an input too long to be shown', ['Write', { content: 'x'.repeat(100_001) }]],
    ['a name that is none', ['Bash`\n', { command: 'x' }]],
  ] satisfies [string, ProgramCall][])('refuses %s', async (_, call) => {
    claude.calls([[call]]);
    const { answers } = told(await take());
    expect(answers).toMatchObject([
      { behavior: 'deny', message: expect.stringContaining('cannot be shown') },
    ]);
    expect(claude.done).toEqual([]);
  });

  it('adds nothing where nobody decides about tools', async () => {
    claude.calls([[]]);
    expect(told(await take({ asks: undefined })).args).toEqual(['-p', '--output-format', 'json']);
  });

  it('has the program ask whatever its own settings say, unless the arguments do', async () => {
    claude.calls([[], []]);
    expect(told(await take()).args).toContain('--permission-mode');
    const args = [...claude.runner.args, '--permission-mode=acceptEdits'];
    expect(told(await take({}, { args })).args).not.toContain('--permission-mode');
  });

  it('fails where the program tells no session that could go on', async () => {
    claude.calls([[DEPLOY]], { isSilent: true });
    const { message, kind } = await failedCommand(dir.path, claude.runner, { asks });
    expect(message).toContain('no session id at "session_id"');
    expect(kind).toBe('permanent');
  });

  it('fails as ever where the resumed program does', async () => {
    claude.calls([[DEPLOY]], { exit: 3 });
    const resumed = { state, isApproved: true };
    const { message } = await failedCommand(dir.path, claude.runner, { asks, resumed });
    expect(message).toContain('ended with exit code 3');
  });

  it('answers nobody once its turn is over, and leaves nothing behind', async () => {
    claude.calls([[]]);
    const { args } = told(await take());
    const config = JSON.parse(args[args.indexOf('--mcp-config') + 1] ?? '') as unknown;
    const socket = getText(config, 'mcpServers', 'hooks', 'args', 2) ?? '';
    expect(socket).toMatch(/^\/.*\/hooks-[^/]+\/socket$/);
    expect(existsSync(dirname(socket))).toBe(false);
  });
});
