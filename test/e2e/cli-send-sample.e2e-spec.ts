import { readSample } from '../../src/hooks/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedCommands } from '../support/served-commands.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';

const SECRET = 'the-secret-that-github-signs-with';
const MAPPINGS = [
  { id: 'github', verify: { secrets: [SECRET, 'the-secret-before'] } },
  { id: 'linear', verify: { secrets: ['the-secret-that-linear-made'] } },
  { id: 'ci', messageTemplate: '{{ build }}' },
];
const HOOKS = { presets: ['github', 'linear', 'generic'], mappings: MAPPINGS };

let served: ServedCommands;
beforeAll(async () => {
  served = await ServedCommands.start(HOOKS);
});
afterAll(() => served[Symbol.asyncDispose]());

async function countEvents(): Promise<number> {
  const { events } = await served.json('events', 'list', '--limit', '200');
  return Array.isArray(events) ? events.length : Number.NaN;
}

describe('hooks send <preset> <sample>', () => {
  it('signs what GitHub publishes with the secret of the path, and shows what came of it', async () => {
    const { code, stdout, stderr } = await served.hooks('send', 'github', 'issues.opened');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Event [\da-f-]{36} done\n/);
    expect(stdout).toContain('verified by github');
    expect(stdout).toContain('GitHub: issue #1');
    expect(stderr).toMatch(/The whole story: hooks events show [\da-f-]{36}\n$/);
  });

  it('is an event of its own each time, with the same payload', async () => {
    const sent = [
      await served.json('send', 'github', 'push'),
      await served.json('send', 'github', 'push'),
    ];
    expect(sent.map(({ isRepeat }) => isRepeat)).toEqual([false, false]);
    const [first, second] = sent.map(({ eventId }) => eventId);
    expect(first).not.toBe(second);
    const shown = await served.json('events', 'show', String(first));
    expect(shown).toMatchObject({ request: { payload: readSample('github', 'push')?.body } });
  });

  it('is a repeat under a key that came before', async () => {
    const args = ['send', 'github', 'release.published', '--idempotency-key', 'k-1'];
    const first = await served.json(...args);
    const second = await served.json(...args);
    expect(first).toMatchObject({ isRepeat: false });
    expect(second).toMatchObject({ isRepeat: true, eventId: first['eventId'] });
  });

  it('has the present time where the sender says it in the body', async () => {
    const first = await served.json('send', 'linear', 'Issue.create');
    const second = await served.json('send', 'linear', 'Issue.create');
    expect([first, second]).toEqual([
      expect.objectContaining({ status: 200, isRepeat: false }),
      expect.objectContaining({ status: 200, isRepeat: false }),
    ]);
  });

  it('signs a payload of your own as well, without a change', async () => {
    const payload = readSample('github', 'issues.opened')?.body;
    const args = ['send', 'github', '--payload', '-', '--header', 'X-GitHub-Event: issues'];
    const send = async (): Promise<Record<string, unknown>> => {
      const { stdout } = await served.hooksReading(JSON.stringify(payload), ...args, '--json');
      return JSON.parse(stdout);
    };
    const sent = await send();
    expect(sent).toMatchObject({
      isRepeat: false,
      story: { mapping: 'github-issue', request: { verifiedBy: 'github', payload } },
    });
    expect(await send()).toMatchObject({ isRepeat: true, eventId: sent['eventId'] });
  });

  it('shows the hook token where nothing is signed', async () => {
    const { code, stdout } = await served.hooks('send', 'generic', 'deploy');
    expect(code).toBe(0);
    expect(stdout).toContain('verified by token');
  });

  it('asks for the sample at a terminal', async () => {
    const env = { GATEWAY_PORT: new URL(served.service.url).port };
    using terminal = new TypedTerminal(['send', 'linear', '--no-wait'], served.dir.path, env);
    await terminal.answer('Which sample?', KEYS.enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.words).toContain('The whole story: hooks events show');
  });

  it('hooks preview shows the same without sending it', async () => {
    const before = await countEvents();
    const { code, stdout } = await served.hooks('preview', 'github', 'issues.opened');
    expect(code).toBe(0);
    expect(stdout).toContain('GitHub: issue #1');
    expect(await countEvents()).toBe(before);
  });

  it.each([[[]], [['--json']]])(
    'the samples are listed where none is named, also where no service ever ran: %j',
    async (more) => {
      using elsewhere = new ConfigDirectory();
      for (const command of ['preview', 'send']) {
        const here = await served.hooks(command, 'github', ...more);
        expect(here).toMatchObject({ code: 0, stderr: '' });
        const { stdout } = await hooksCall([command, 'github', ...more], {
          cwd: elsewhere.path,
        });
        expect(stdout).toBe(here.stdout);
        const shown = more.length > 0 ? JSON.parse(stdout).samples : stdout.split('\n');
        const sample = 'issues.opened';
        expect(shown).toContain(more.length > 0 ? sample : `hooks ${command} github ${sample}`);
      }
    },
  );

  it('hooks preview takes a request of your own to the hook of a preset', async () => {
    const { code, stdout } = await served.hooks('preview', 'github', '--header', 'X-A: b');
    expect(code).toBe(0);
    expect(stdout).toContain('It would be skipped');
  });

  it('hooks preview asks for the sample at a terminal', async () => {
    const env = { GATEWAY_PORT: new URL(served.service.url).port };
    using terminal = new TypedTerminal(['preview', 'linear'], served.dir.path, env);
    await terminal.answer('Which sample?', KEYS.enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.words).toContain('Nothing was stored, sent or run.');
  });
});

describe('hooks send refuses, and sends nothing', () => {
  it.each<[string, string[], string]>([
    ['an unknown sample', ['github', 'issues.oppened'], 'hooks send github issues.opened\n'],
    ['a way out of the samples', ['github', '../linear/Issue.create'], 'There is no sample'],
    ['a sample of no preset', ['ci', 'issues.opened'], 'Samples belong to presets'],
    ['a sample and a payload', ['github', 'push', '--payload', '-'], 'A sample is sent as it is'],
    ['a sample and a header', ['github', 'push', '--header', 'a: b'], 'A sample is sent as it is'],
  ])('%s', async (_what, args, sentence) => {
    const before = await countEvents();
    const { code, stdout, stderr } = await served.hooks('send', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(await countEvents()).toBe(before);
  });

  it('what the service does not believe: 1, with the reason', async () => {
    const before = await countEvents();
    const env = { GATEWAY_PORT: new URL(served.service.url).port };
    using other = new ConfigDirectory();
    other.write('gateway.json5', {
      gateway: { auth: { token: 'the-operator-token-of-the-tests' } },
      hooks: {
        enabled: true,
        token: 'another-hook-token-of-the-tests',
        presets: ['github'],
        mappings: [{ id: 'github', verify: { secrets: ['a-secret-that-nobody-has-there'] } }],
      },
    });
    const { code, stderr } = await hooksCall(['send', 'github', 'push'], {
      cwd: other.path,
      env,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('another secret than this configuration');
    expect(await countEvents()).toBe(before);
  });

  it('a preset that is not enabled there: 1, with the way to it', async () => {
    const { code, stderr } = await served.hooks('send', 'jira', 'issue_created');
    expect(code).toBe(1);
    expect(stderr).toContain('hooks setup');
  });
});
