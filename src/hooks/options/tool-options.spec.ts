import { ConfiguredAgents } from './configured-agents.ts';
import { GATEWAY_NAMES, MODULE_NAMES } from './option-names.ts';
import { resolveOptions } from './resolve.ts';
import type { HooksSettingsInput } from './settings-input.ts';
import { HooksSettings } from './settings.ts';

type AgentInput = NonNullable<NonNullable<HooksSettingsInput['agents']>['list']>[number];

function problemsOf(tools: AgentInput['tools']): string[] {
  const { problems } = resolveOptions({ agents: { list: [{ id: 'main', tools }] } });
  return problems.map(({ key, message }) => `${key} ${message}`);
}

const desk = { command: 'desk-mcp' };

describe('agents.list[].tools', () => {
  it('reaches the agent with every default filled in', async () => {
    const url = 'http://127.0.0.1:8080/mcp';
    const tools = {
      mcp: { desk, web: { url, headers: { 'x-key': 'k' }, connectTimeout: '5s' } },
      untrusted: ['desk_read'],
    };
    const settings = new HooksSettings({ agents: { list: [{ id: 'main', tools }] } });
    await settings.verify();
    expect(new ConfiguredAgents(settings).resolve().tools).toEqual({
      mcp: {
        desk: { command: 'desk-mcp', args: [], env: [], connectMs: 60_000 },
        web: { url, headers: { 'x-key': 'k' }, connectMs: 5000 },
      },
      untrusted: ['desk_read'],
    });
  });

  it.each(['command', 'http'] as const)('are asked about by nobody where %s runs it', (type) => {
    const runner =
      type === 'http' ? { type, baseUrl: 'http://127.0.0.1:1' } : { type, command: 'claude' };
    const list: AgentInput[] = [{ id: 'main', runner, approve: 'tools' }];
    const { problems } = resolveOptions({ agents: { list } });
    expect(problems).toMatchObject([
      {
        key: 'agents.list[0].approve',
        message: expect.stringContaining('agent "main" calls by itself: use run or reply'),
      },
    ]);
    const [main] = list;
    expect(resolveOptions({ agents: { list: [{ ...main, approve: 'reply' }] } }).problems).toEqual(
      [],
    );
  });

  it('are asked about by nobody where all agents are the defaults', () => {
    const defaults = { runner: { type: 'command', command: 'cat' }, approve: 'tools' } as const;
    expect(resolveOptions({ agents: { defaults } }).problems).toMatchObject([
      {
        key: 'agents.defaults.approve',
        message: expect.stringContaining('agent "main" calls by itself'),
      },
    ]);
  });

  it('are asked about where the program says how it asks', () => {
    const args = ['-p', '--resume', '{session}'];
    const paths = { output: 'json', sessionIdPath: 'session_id' } as const;
    const program = {
      command: 'claude',
      resumeArgs: args,
      permissionPrompt: 'claude-code',
    } as const;
    const runner = { type: 'command', ...paths, ...program } as const;
    const list: AgentInput[] = [{ id: 'main', runner, approve: 'tools' }];
    expect(resolveOptions({ agents: { list } }).problems).toEqual([]);
    expect(
      resolveOptions({ agents: { defaults: { runner }, list: [{ id: 'main', approve: 'tools' }] } })
        .problems,
    ).toEqual([]);
  });

  it('absent: the agent has none', () => {
    const agents = new ConfiguredAgents(new HooksSettings({}));
    expect(agents.resolve().tools).toBeUndefined();
  });

  it('lists no tool for untrusted turns by itself', () => {
    const settings = new HooksSettings({
      agents: { list: [{ id: 'main', tools: { mcp: { desk } } }] },
    });
    expect(new ConfiguredAgents(settings).resolve().tools?.untrusted).toEqual([]);
  });

  it.each<[AgentInput['tools'], string]>([
    [{ mcp: { desk: {} } }, 'mcp.desk must have a command (a program) or a url (a server)'],
    [
      { mcp: { desk: { ...desk, url: 'http://x/mcp' } } },
      'mcp.desk must have a command or a url, not both',
    ],
    [
      { mcp: { desk: { ...desk, connectTimeout: '5' } } },
      'mcp.desk.connectTimeout must be a number of at most five digits followed by s, m, h or d, for example 30m',
    ],
    [
      { mcp: { desk: { ...desk, connectTimeout: '0s' } } },
      'mcp.desk.connectTimeout must be at least 1s',
    ],
    [
      { mcp: { desk: { url: 'x' } } },
      'mcp.desk.url must be a URL such as http://127.0.0.1:8080/mcp',
    ],
    [
      { mcp: { desk: { url: 'http://x/mcp', args: ['a'] } } },
      'mcp.desk.args does nothing beside url; remove it',
    ],
    [
      { mcp: { desk: { ...desk, headers: { a: 'b' } } } },
      'mcp.desk.headers does nothing beside command; remove it',
    ],
    [
      { mcp: { desk: { ...desk, env: ['A=b'] } } },
      'mcp.desk.env must hold names of environment variables, such as GITHUB_TOKEN',
    ],
    [
      { mcp: { my_desk: desk } },
      'mcp.my_desk must be named with 1 to 32 letters, digits or hyphens',
    ],
    [
      { mcp: { desk }, untrusted: ['other_read'] },
      'untrusted[0] must be <server>_<tool> with a server of tools.mcp (desk)',
    ],
    [
      { untrusted: ['read'] },
      'untrusted[0] must be <server>_<tool> with a server of tools.mcp (none)',
    ],
  ])('%j is refused', (tools, problem) => {
    expect(problemsOf(tools)).toEqual([`agents.list[0].tools.${problem}`]);
  });
});

describe('models.providers', () => {
  function problemsWith(provider: object, names = GATEWAY_NAMES): string[] {
    const { problems } = resolveOptions({ models: { providers: { mine: provider } } }, names);
    return problems.map(({ key, message }) => `${key} ${message}`);
  }

  it.each(['openai', 'anthropic', 'google'])('%s needs a key and no address', (type) => {
    expect(problemsWith({ type, apiKey: 'k' })).toEqual([]);
    expect(problemsWith({ type })).toEqual([
      `models.providers.mine.apiKey must be set: ${type} answers nobody without a key; write it as \${NAME} and put NAME into .env`,
    ]);
    expect(problemsWith({ type }, MODULE_NAMES)).toEqual([
      `models.providers.mine.apiKey must be set: ${type} answers nobody without a key; pass it from process.env`,
    ]);
  });

  it('openai-compatible needs an address and no key', () => {
    expect(problemsWith({ baseUrl: 'http://127.0.0.1:11434/v1' })).toEqual([]);
    expect(problemsWith({ apiKey: 'k' })[0]).toContain(
      'models.providers.mine.baseUrl must be a URL',
    );
  });

  it('another type is refused with the list', () => {
    expect(problemsWith({ type: 'mistral', apiKey: 'k' })).toEqual([
      'models.providers.mine.type must be one of openai, anthropic, google, openai-compatible',
    ]);
  });
});
