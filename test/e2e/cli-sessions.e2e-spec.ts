import { ServedCommands } from '../support/served-commands.ts';

async function serve(): Promise<ServedCommands> {
  const made = await ServedCommands.start({ defaultSessionKey: 'hook:all' }, () => ({
    channels: { chan_2: { token: 't', to: '1' } },
  }));
  await made.hooks('send', 'agent', '--message', 'Remember the milk', '--no-deliver');
  await made.hooks('send', 'wake', '--text', 'It waits', '--mode', 'next-heartbeat');
  return made;
}

let served: ServedCommands;
beforeAll(async () => (served = await serve()));
afterAll(() => served[Symbol.asyncDispose]());

describe('hooks sessions', () => {
  it('lists them in order of their keys', async () => {
    const { code, stdout, stderr } = await served.hooks('sessions');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, first, second] = stdout.split('\n');
    expect(head).toMatch(/^SESSION +TURNS +WAITING +LAST TURN$/);
    expect(first).toMatch(/^agent:main:hook:all +1 +0 +\d+s ago$/);
    expect(second).toMatch(/^agent:main:main +\d +1 +\d+s ago$/);
  });

  it('page by page', async () => {
    const first = await served.json('sessions', '--limit', '1');
    expect(first).toMatchObject({ sessions: [{ key: 'agent:main:hook:all' }] });
    const cursor = String(first['nextCursor']);
    const second = await served.json('sessions', '--limit', '1', '--cursor', cursor);
    expect(second).toMatchObject({ sessions: [{ key: 'agent:main:main' }], nextCursor: null });
  });
});

describe('hooks sessions <key>', () => {
  it('shows what was said', async () => {
    const { code, stdout } = await served.hooks('sessions', 'agent:main:hook:all');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Session agent:main:hook:all of agent main\n/);
    expect(stdout).toContain('Transcript');
    expect(stdout).toMatch(/\n\n {2}\S+Z assistant\n/);
    expect(stdout).toContain('Remember the milk');
  });

  it('shows what waits', async () => {
    const { stdout } = await served.hooks('sessions', 'agent:main:main');
    expect(stdout).toMatch(/Waiting system events\n {2}\d{4}-.*\(untrusted\)\n {2}It waits\n/);
    const printed = await served.json('sessions', 'agent:main:main');
    expect(printed).toMatchObject({ pendingSystemEvents: [{ text: 'It waits' }] });
  });

  it('forgets what was said, and keeps what waits', async () => {
    await using own = await serve();
    const { code, stdout } = await own.hooks('sessions', 'agent:main:hook:all', '--clear');
    expect(code).toBe(0);
    expect(stdout).not.toContain('milk');
    const printed = await own.json('sessions', 'agent:main:main', '--clear');
    expect(printed).toMatchObject({ turns: [], pendingSystemEvents: [{ text: 'It waits' }] });
  });

  it.each([
    [['--clear'], 2, '--clear needs a session'],
    [['agent:main:hook:none', '--clear'], 1, 'See which there are: hooks sessions'],
  ])('%j ends with %d: %s', async (args, code, sentence) => {
    const ending = await served.hooks('sessions', ...args);
    expect(ending).toMatchObject({ code, stderr: expect.stringContaining(sentence) });
  });

  it('fails with 1 for one that is unknown, and says where to look', async () => {
    const { code, stderr } = await served.hooks('sessions', 'main');
    expect(code).toBe(1);
    expect(stderr).toContain('give the full one');
    expect(stderr).toContain('See which there are: hooks sessions\n');
  });
});
