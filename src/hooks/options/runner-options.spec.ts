import { asWritten } from '../../../test/support/as-written.ts';
import { ConfiguredAgents } from './configured-agents.ts';
import { resolveOptions } from './resolve.ts';
import { HooksSettings } from './settings.ts';

const COMMAND = { type: 'command', command: 'agent' };
const HTTP = { type: 'http', baseUrl: 'http://127.0.0.1:1/v1' };

function problems(runner: unknown): Record<string, string> {
  const found = resolveOptions(asWritten({ agents: { list: [{ id: 'a', runner }] } })).problems;
  return Object.fromEntries(
    found.map(({ key, message }) => [key.replace('agents.list[0].runner.', ''), message]),
  );
}

function runnerOf(agents: unknown) {
  const directory = new ConfiguredAgents(new HooksSettings(asWritten({ agents })));
  return directory.resolve('a').runner;
}

describe('agents.list[].runner', () => {
  it('fills in the defaults of a command', () => {
    expect(runnerOf({ list: [{ id: 'a', runner: COMMAND }] })).toEqual({
      ...COMMAND,
      args: [],
      output: 'text',
      resultPath: 'result',
      env: [],
    });
  });

  it('fills in the defaults of a gateway', () => {
    expect(runnerOf({ list: [{ id: 'a', runner: HTTP }] })).toEqual({
      ...HTTP,
      model: '{agent}',
      sessions: 'here',
      headers: {},
    });
  });

  it('is agents.defaults.runner for an agent without one', () => {
    const defaults = { runner: { type: 'demo' } };
    expect(runnerOf({ defaults })).toEqual({ type: 'demo' });
    const own = { type: 'model' };
    expect(runnerOf({ defaults, list: [{ id: 'a', runner: own }] })).toEqual(own);
    expect(runnerOf({ list: [{ id: 'a' }] })).toBeUndefined();
  });

  it('carries everything that was written', () => {
    const command = {
      ...COMMAND,
      args: ['-p'],
      resumeArgs: ['--resume={session}'],
      output: 'json',
      resultPath: 'a.b',
      sessionIdPath: 'session_id',
      env: ['API_KEY'],
      permissionPrompt: 'claude-code',
    };
    expect(runnerOf({ list: [{ id: 'a', runner: command }] })).toEqual(command);
    const headers = { 'x-session': '{session}' };
    const http = { ...HTTP, apiKey: 'k', model: 'm', sessions: 'gateway', headers };
    expect(runnerOf({ list: [{ id: 'a', runner: http }] })).toEqual(http);
  });
});

describe('agents.list[].runner: mistakes, each with its key and what to do', () => {
  it.each([
    ['no type', {}, 'type', 'must be one of model, demo, command, http'],
    ['an unknown type', { type: 'shell', command: 'x' }, 'type', 'must be one of model'],
    ['no command', { type: 'command' }, 'command', 'the name of a program'],
    ['an empty command', { ...COMMAND, command: '' }, 'command', 'the name of a program'],
    ['a relative command', { ...COMMAND, command: './a.sh' }, 'command', 'or an absolute path'],
    ['arguments as text', { ...COMMAND, args: '-p' }, 'args', 'must be an array: […]'],
    ['a NUL argument', { ...COMMAND, args: ['a\0b'] }, 'args', 'without NUL'],
    ['another output', { ...COMMAND, output: 'xml' }, 'output', 'must be one of text, json'],
    ['a path into text', { ...COMMAND, resultPath: 'a' }, 'resultPath', 'needs output, which must'],
    ['a path of dots', { ...COMMAND, output: 'json', resultPath: 'a..b' }, 'resultPath', 'dots'],
    ['a bad variable', { ...COMMAND, env: ['A=B'] }, 'env', 'names of environment variables'],
    ['a key of http', { ...COMMAND, apiKey: 'k' }, 'apiKey', 'belongs to a runner of type http'],
    ['a key of command', { ...HTTP, args: [] }, 'args', 'belongs to a runner of type command'],
    ['a key of command', { type: 'demo', env: [] }, 'env', 'remove it or set type to command'],
    ['no base URL', { type: 'http' }, 'baseUrl', 'must be a URL such as'],
    ['headers as text', { ...HTTP, headers: 'a: b' }, 'headers', 'must be an object'],
    ['two lines', { ...HTTP, headers: { a: 'b\r\nc: d' } }, 'headers', 'cannot be sent (a)'],
    ['our own header', { ...HTTP, headers: { Host: 'b' } }, 'headers', 'cannot be sent (Host)'],
    ['another keeper', { ...HTTP, sessions: 'there' }, 'sessions', 'must be one of here, gateway'],
    ['an unnamed session', { ...HTTP, sessions: 'gateway' }, 'sessions', 'add one with {session}'],
    ['a keeper', { ...COMMAND, sessions: 'here' }, 'sessions', 'belongs to a runner of type http'],
    ['an unknown key', { ...HTTP, colour: 1 }, 'colour', 'is not a known key'],
  ])('%s', (_name, runner, key, message) => {
    const found = problems(runner);
    expect(Object.keys(found)).toEqual([key]);
    expect(found[key]).toContain(message);
  });

  it('resumeArgs need {session} and a place where the program tells it', () => {
    const json = { ...COMMAND, output: 'json' };
    expect(problems({ ...json, resumeArgs: ['-r', '{session}'] })).toEqual({
      resumeArgs: 'needs sessionIdPath, which says where the program tells its session id',
    });
    expect(problems({ ...json, sessionIdPath: 'id', resumeArgs: ['-r'] })).toEqual({
      resumeArgs: 'must have {session} in one of the arguments',
    });
  });

  describe('permissionPrompt', () => {
    const json = { ...COMMAND, output: 'json', sessionIdPath: 'id', resumeArgs: ['{session}'] };
    const asking = { ...json, permissionPrompt: 'claude-code' };

    it('needs arguments that go on once a person has decided, and a program that is known', () => {
      expect(problems(asking)).toEqual({});
      expect(problems({ ...COMMAND, permissionPrompt: 'claude-code' })).toEqual({
        permissionPrompt:
          'needs resumeArgs, which continues the conversation once a person has decided',
      });
      expect(problems({ ...json, permissionPrompt: 'codex' })).toEqual({
        permissionPrompt: expect.stringContaining('must be one of claude-code'),
      });
      expect(problems({ ...HTTP, permissionPrompt: 'claude-code' })).toHaveProperty(
        'permissionPrompt',
      );
    });

    it.each([
      { args: ['-p', '--dangerously-skip-permissions'] },
      { args: ['-p', '--allow-dangerously-skip-permissions'] },
      { args: ['--permission-mode', 'bypassPermissions'] },
      { resumeArgs: ['{session}', '--permission-mode=bypassPermissions'] },
    ])('is refused beside %j, by which the program asks about nothing', (given) => {
      expect(problems({ ...asking, ...given })).toEqual({
        permissionPrompt: expect.stringContaining('remove --dangerously-skip-permissions'),
      });
    });
  });

  it('is checked in agents.defaults, too', () => {
    const written = { agents: { defaults: { runner: { type: 'model', model: 'x' } } } };
    expect(resolveOptions(asWritten(written)).problems).toEqual([
      {
        key: 'agents.defaults.runner.model',
        message: 'belongs to a runner of type http; remove it or set type to http',
      },
    ]);
  });
});
