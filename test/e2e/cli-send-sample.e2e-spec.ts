import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readSample } from '../../src/hooks/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedCommands } from '../support/served-commands.ts';
import { byGithub, hmac } from '../support/signed.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';

const run = promisify(execFile);
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

describe('hooks send --dry-run', () => {
  async function argumentsOf(command: string): Promise<string[]> {
    expect(command).toMatch(/^curl /);
    const shown = command.replace(/^curl /, String.raw`printf '%s\0' `);
    const env = { ...process.env, HOOK_TOKEN: "a token's $text" };
    const { stdout } = await run('sh', ['-c', shown], { env });
    return stdout.split('\0').slice(0, -1);
  }
  const PUSH = ['github', '--header', 'X-GitHub-Event: push', '--dry-run', '--payload'];
  const BODY = `{"title":"it's $HOME \`x\` \\"y\\""}\n`;

  it('prints a request that curl sends as its sender would, and sends nothing', async () => {
    const before = await countEvents();
    const { code, stdout, stderr } = await served.hooks('send', 'github', 'push', '--dry-run');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain(SECRET);
    expect(await countEvents()).toBe(before);
    const curl = await run(
      'curl',
      (await argumentsOf(stdout)).filter((word) => word !== '-i'),
    );
    expect(JSON.parse(curl.stdout)).toMatchObject({ ok: true });
    expect(await countEvents()).toBe(before + 1);
  });

  it('has a body from stdin in the line, as a shell reads it', async () => {
    const { stdout } = await served.hooksReading(BODY, 'send', ...PUSH, '-');
    expect(await argumentsOf(stdout)).toEqual([
      '-sS',
      '-i',
      '-H',
      'content-type: application/json',
      '-H',
      'x-github-event: push',
      '-H',
      expect.stringMatching(/^x-github-delivery: [\da-f-]{36}$/),
      '-H',
      `x-hub-signature-256: ${byGithub(SECRET, BODY)['x-hub-signature-256']}`,
      '--data-raw',
      BODY,
      `${served.service.url}/hooks/github`,
    ]);
  });

  it('names the file of a body, unless the signature changed it', async () => {
    served.dir.write('body.json', '{"webhookTimestamp":5}');
    const { stdout } = await served.hooks('send', ...PUSH, 'body.json');
    expect(await argumentsOf(stdout)).toEqual(
      expect.arrayContaining(['--data-binary', '@body.json']),
    );
    const args = ['send', 'linear', '--payload', 'body.json', '--dry-run'];
    const words = await argumentsOf((await served.hooks(...args)).stdout);
    expect(words).toEqual(expect.arrayContaining(['--data-raw']));
    expect(words.join(' ')).toContain(hmac('sha256', 'the-secret-that-linear-made', words.at(-2)!));
  });

  it('leaves the hook token to the shell', async () => {
    const { stdout, stderr } = await served.hooks('send', 'ci', '--query', 'a=b c', '--dry-run');
    expect(await argumentsOf(stdout)).toEqual(
      expect.arrayContaining([
        "authorization: Bearer a token's $text",
        `${served.service.url}/hooks/ci?a=b+c`,
      ]),
    );
    expect(stderr).toContain('export HOOK_TOKEN=');
  });

  it('prints one JSON document', async () => {
    const args = ['send', ...PUSH, '-', '--json'];
    expect(JSON.parse((await served.hooksReading(BODY, ...args)).stdout)).toMatchObject({
      url: `${served.service.url}/hooks/github`,
      headers: byGithub(SECRET, BODY),
      body: BODY,
    });
  });

  it('has no line for bytes that are no text', async () => {
    const { code, stdout, stderr } = await served.hooksReading('"a\u007fb"', 'send', ...PUSH, '-');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--payload');
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
