import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import JSON5 from 'json5';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { MODEL_REPLY, OpenAiServer } from '../support/openai-server.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import type { Answer } from '../support/scripted-server.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import type { Ending } from '../support/service-process.ts';
import { BOT_TOKEN, TelegramBot } from '../support/telegram-bot.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';

const KEY = 'sk-secret-of-the-tests';
const ENV = { MODEL_API_KEY: KEY, TELEGRAM_TOKEN: BOT_TOKEN };

let dir: ConfigDirectory;
let models: OpenAiServer;
let bot: TelegramBot;
beforeEach(async () => {
  dir = new ConfigDirectory();
  models = new OpenAiServer();
  bot = new TelegramBot();
  await Promise.all([models.listen(), bot.listen()]);
});
afterEach(async () => {
  dir[Symbol.dispose]();
  await Promise.all([models.close(), bot.close()]);
});

function setup(args: readonly string[], env: Record<string, string> = {}): Promise<Ending> {
  return hooksCall(['setup', ...args], { cwd: dir.path, env });
}

function model(): string[] {
  return ['--model', 'compatible', '--model-url', models.baseUrl];
}

function telegram(): string[] {
  return ['--channel', 'telegram', '--channel-url', bot.origin];
}

function written(name: string): string {
  return readFileSync(join(dir.path, name), 'utf8');
}

function fragment(name: string): object {
  return JSON5.parse<object>(written(`gateway.d/${name}.json5`));
}

function expectNothing(): void {
  expect(readdirSync(dir.path)).toEqual([]);
}

async function demo(): Promise<ServedGateway> {
  const port = String(await freePort());
  dir.write('.env', `# mine\nGATEWAY_PORT=${port}\n`);
  return ServedGateway.start(dir.path, { GATEWAY_PORT: port });
}

describe('hooks setup by flags', () => {
  it('goes from the demo to a reply in Telegram, with no file edited by hand', async () => {
    await using service = await demo();
    const args = [...model(), ...telegram(), '--to', '4711', '--sender', 'github', '--json'];
    const { code, stdout, stderr } = await setup(args, ENV);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
    expect(JSON.parse(stdout)).toMatchObject({
      written: [
        '.env',
        'gateway.json5',
        'gateway.d/model.json5',
        'gateway.d/channel-telegram.json5',
      ],
      installed: [],
      sender: { preset: 'github', written: ['gateway.d/github.json5'] },
      story: { status: 'done' },
    });
    expect(bot.sent).toEqual([{ chat: '4711', text: MODEL_REPLY }]);
    expect(parseEnv(written('.env'))).toMatchObject({ ...ENV, GATEWAY_PORT: expect.any(String) });
    expect(written('.env')).toContain('# mine\n');
    expect(statSync(join(dir.path, '.env')).mode & 0o777).toBe(0o600);
    for (const name of ['model', 'channel-telegram', 'github']) {
      expect(written(`gateway.d/${name}.json5`)).not.toContain('secret-of-the-tests');
    }
    expect(stdout + stderr).not.toContain(KEY);
    expect(stdout + stderr).not.toContain(BOT_TOKEN);
    const again = await setup(args, ENV);
    expect(JSON.parse(again.stdout)).toMatchObject({ written: [], story: { status: 'done' } });
    expect(bot.sent).toHaveLength(2);
    expect((await service.get('/health/ready')).status).toBe(200);
  });

  it('writes all the same where no service runs, and says what to do', async () => {
    const args = [...model(), '--channel', 'none', '--sender', 'none'];
    const { code, stderr } = await setup(args, ENV);
    expect(code).toBe(0);
    expect(stderr).toContain('Then start the service: hooks start');
    expect(fragment('model')).toEqual({
      models: {
        providers: {
          compatible: {
            type: 'openai-compatible',
            baseUrl: models.baseUrl,
            apiKey: '${MODEL_API_KEY}',
          },
        },
      },
      agents: { defaults: { model: 'compatible/test-model' } },
    });
    const { code: check } = await hooksCall(['config', 'check'], { cwd: dir.path });
    expect(check).toBe(0);
  });

  it('lets the demo agent answer on, if that is said', async () => {
    await using service = await demo();
    const args = ['--model', 'demo', '--channel', 'none', '--sender', 'none', '--json'];
    const { code, stdout } = await setup(args);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('demo') });
    expect((await service.get('/health/ready')).status).toBe(200);
  });

  it('writes nothing with --dry-run, and shows what it would', async () => {
    const args = [...model(), ...telegram(), '--to', '4711', '--sender', 'github', '--dry-run'];
    const { code, stdout, stderr } = await setup(args, ENV);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('nothing was changed'),
    });
    for (const name of ['gateway.json5', 'gateway.d/model.json5', 'gateway.d/github.json5']) {
      expect(stdout).toContain(name);
    }
    expect(stdout + stderr).not.toContain(KEY);
    expect(bot.sent).toEqual([]);
    expectNothing();
  });

  it('makes the webhook at GitHub', async () => {
    const github = new ScriptedServer(() => answer(201, { id: 1, active: true }));
    await github.listen();
    try {
      const base = ['--model', 'demo', '--channel', 'none', '--sender', 'github'];
      const here = ['--url', 'https://hooks.example.org', '--repository', 'octo/hello'];
      const args = [...base, ...here, '--github-url', github.origin];
      const { code, stdout } = await setup(args, { GITHUB_TOKEN: 'ghp_token' });
      expect(code).toBe(0);
      expect(stdout).not.toContain('Payload URL');
      const { method, path, headers, body } = await github.request(1);
      expect({ method, path }).toEqual({ method: 'POST', path: '/repos/octo/hello/hooks' });
      expect(headers.authorization).toBe('Bearer ghp_token');
      expect(body).toMatchObject({
        name: 'web',
        config: {
          url: 'https://hooks.example.org/hooks/github',
          content_type: 'json',
          secret: expect.stringMatching(/^[\w-]{43}$/),
          insecure_ssl: '0',
        },
      });
    } finally {
      await github.close();
    }
  });
});

describe('hooks setup that cannot go on', () => {
  it('writes nothing where the key is refused, and does not show it', async () => {
    models.meanwhile = {
      status: 401,
      body: { error: { message: `Incorrect API key provided: ${KEY}` } },
    };
    const { code, stderr } = await setup([...model(), '--channel', 'none'], ENV);
    expect(code).toBe(1);
    expect(stderr).toContain('answered 401');
    expect(stderr).not.toContain(KEY);
    expectNothing();
  });

  it('writes nothing where the model lists itself and does not answer', async () => {
    models.overloaded.add('test-model');
    const { code } = await setup([...model(), '--channel', 'none'], ENV);
    expect(code).toBe(1);
    expectNothing();
  });

  it('writes nothing where the bot is unknown, though the model answers', async () => {
    const { code, stderr } = await setup([...model(), ...telegram(), '--to', '1'], {
      ...ENV,
      TELEGRAM_TOKEN: '1:wrong',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('Telegram refused the token (401): Unauthorized');
    expect(stderr).not.toContain('1:wrong');
    expectNothing();
  });

  it.each([
    ['a model of nobody', ['--model', 'nobody'], '--model must begin with one of'],
    ['no key', ['--model', 'openai/gpt', '--channel', 'none'], 'OPENAI_API_KEY is not set'],
    ['no channel', ['--model', 'demo'], 'Say it with --channel.'],
    ['a platform of nobody', ['--model', 'demo', '--channel', 'icq'], '--channel must be one of'],
    [
      'a variable that is none',
      ['--model', 'openai', '--model-key-env', 'a b'],
      'name of a variable',
    ],
  ])('says what is missing: %s', async (_, args, words) => {
    const { code, stderr } = await setup(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
    expectNothing();
  });

  it('says where nobody listens', async () => {
    const args = ['--model', 'compatible/x', '--model-url', `${models.origin}/v1`];
    await models.close();
    const { code } = await setup([...args, '--channel', 'none']);
    expect(code).toBe(3);
    expectNothing();
    await models.listen();
  });

  it('leaves a model alone that the operator wrote', async () => {
    dir.write('gateway.json5', {
      hooks: { enabled: true, token: 'the-hook-token-of-the-tests', defaultSessionKey: 'hook:a' },
      models: { providers: { own: { type: 'openai-compatible', baseUrl: models.baseUrl } } },
      agents: { defaults: { model: 'own/test-model' } },
    });
    const { code, stderr } = await setup(['model', ...model()], ENV);
    expect(code).toBe(1);
    expect(stderr).toContain('gateway.json5 says who answers (agents.defaults.model)');
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
    expect(existsSync(join(dir.path, '.env'))).toBe(false);
  });
});

describe('hooks setup channel', () => {
  const platforms = [
    {
      name: 'slack',
      variable: 'SLACK_TOKEN',
      answers: {
        '/auth.test': { ok: true, user: 'events', team: 'Acme' },
        '/users.conversations': { ok: true, channels: [{ id: 'C0123456789', name: 'ops' }] },
      },
      channel: { chan_4: { token: '${SLACK_TOKEN}', to: 'C0123456789' } },
    },
    {
      name: 'discord',
      variable: 'DISCORD_TOKEN',
      answers: {
        '/v10/users/@me': { id: '1', username: 'events' },
        '/v10/users/@me/guilds': [{ id: '41771983423143937', name: 'Acme' }],
        '/v10/guilds/41771983423143937/channels': [
          { id: '41771983423143930', type: 4, name: 'Text channels' },
          { id: '41771983423143938', type: 0, name: 'ops' },
        ],
      },
      channel: { chan_3: { token: '${DISCORD_TOKEN}', to: '41771983423143938' } },
    },
    {
      name: 'mattermost',
      variable: 'MATTERMOST_TOKEN',
      answers: {
        '/api/v4/users/me': { id: 'u', username: 'events' },
        '/api/v4/users/me/teams': [{ id: 'team1', display_name: 'Acme' }],
        '/api/v4/users/me/teams/team1/channels': [
          { id: 'a'.repeat(26), display_name: 'Ops' },
          { id: 'b'.repeat(26), display_name: '' },
        ],
      },
      channel: { chan_5: { token: '${MATTERMOST_TOKEN}', to: 'a'.repeat(26) } },
    },
  ];
  it.each(platforms)('finds the only conversation of $name', async (one) => {
    const server = new ScriptedServer(({ path }) => {
      const known = new Map<string, unknown>(Object.entries(one.answers));
      const { pathname } = new URL(path, 'http://platform');
      return known.has(pathname) ? answer(200, known.get(pathname)) : answer(404, {});
    });
    await server.listen();
    try {
      const args = ['channel', one.name, '--channel-url', server.origin];
      const { code, stderr } = await setup(args, { [one.variable]: 'token-of-the-bot' });
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('written:') });
      const [[id, settings] = ['', {}]] = Object.entries(one.channel);
      expect(fragment(`channel-${one.name}`)).toEqual({
        channels: { [id]: { apiRoot: server.origin, ...settings } },
      });
      for (const { headers } of server.requests) {
        expect(headers.authorization).toMatch(/^(?:Bearer|Bot) token-of-the-bot$/);
      }
    } finally {
      await server.close();
    }
  });

  it('makes the secret of a webhook', async () => {
    const { code } = await setup(['channel', 'webhook', '--channel-url', 'https://me.example/in']);
    expect(code).toBe(0);
    expect(parseEnv(written('.env'))['WEBHOOK_SECRET']).toMatch(/^whsec_[\w+/=]{44}$/);
    expect(fragment('channel-webhook')).toEqual({
      channels: {
        chan_1: {
          provider: 'webhook',
          url: 'https://me.example/in',
          secrets: ['${WEBHOOK_SECRET}'],
          to: 'me',
        },
      },
    });
  });

  it('keeps the secret of a webhook when it is called again', async () => {
    const args = ['channel', 'webhook', '--channel-url', 'https://me.example/in'];
    await setup(args);
    const before = written('.env');
    const { code, stderr } = await setup(args);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('nothing to write'),
    });
    expect(written('.env')).toBe(before);
  });

  it('writes down where Mattermost is, when that is typed', async () => {
    const server = new ScriptedServer(() => answer(200, { username: 'events' }));
    await server.listen();
    try {
      using terminal = new TypedTerminal(['setup', 'channel', 'mattermost'], dir.path, {
        MATTERMOST_TOKEN: 'token-of-the-bot',
      });
      await terminal.answer('Where is Mattermost?', server.origin + KEYS.enter);
      await terminal.answer('The id of the conversation', 'a'.repeat(26) + KEYS.enter);
      expect(await terminal.ended()).toBe(0);
      expect(fragment('channel-mattermost')).toEqual({
        channels: {
          chan_5: { apiRoot: server.origin, token: '${MATTERMOST_TOKEN}', to: 'a'.repeat(26) },
        },
      });
    } finally {
      await server.close();
    }
  });

  it('does not give way to a service that waits for taps, and tells who taps to do it again', async () => {
    const call = setup(['channel', 'telegram', '--channel-url', bot.origin], ENV);
    await eventually('it asks', () => bot.isHeard || undefined);
    const service = fetch(`${bot.origin}/bot${BOT_TOKEN}/getUpdates?timeout=20`);
    expect((await service).status).toBe(409);
    await eventually('it asks on', () => bot.isHeard || undefined);
    const id = bot.tap(42, { id: 1, chat: '42', text: '', buttons: {} }, 'approve');
    await eventually('who tapped is told', () => bot.told.length > 0 || undefined);
    expect(bot.told).toEqual([{ id, text: 'The bot is being set up; tap again in a minute.' }]);
    bot.hasWebhook = true;
    bot.write({ id: 42, type: 'private', first_name: 'Ada' }, 'hi');
    expect((await call).code).toBe(1);
  });

  it('lets nobody but whoever has the link get the replies', async () => {
    bot.write({ id: 666, type: 'private', first_name: 'Mallory' }, '/start');
    const call = setup(['channel', 'telegram', '--channel-url', bot.origin], ENV);
    await eventually('it asks twice', () => bot.requests.length > 2 || undefined);
    bot.write({ id: 667, type: 'private', first_name: 'Mallory' }, `/start ${'0'.repeat(24)}`);
    await eventually('it asks on', () => bot.requests.length > 3 || undefined);
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
    // The code is on stderr alone, which is read at the end: whoever has it has the terminal.
    bot.hasWebhook = true;
    bot.write({ id: 668, type: 'private', first_name: 'Mallory' }, 'hi');
    const { code, stderr } = await call;
    expect(code).toBe(1);
    expect(stderr).toMatch(/https:\/\/t\.me\/events_bot\?start=[0-9a-f]{24}/);
    expect(stderr).toContain('The bot is used elsewhere');
    expectNothing();
  });
});

describe('hooks setup at a terminal', () => {
  it('asks five questions, and shows the reply', async () => {
    await using service = await demo();
    const flags = [
      '--model-url',
      models.baseUrl,
      '--channel-url',
      bot.origin,
      '--url',
      service.url,
    ];
    using terminal = new TypedTerminal(['setup', ...flags], dir.path, {});
    await terminal.answer('Which model answers?', KEYS.down.repeat(3) + KEYS.enter);
    await terminal.answer('Does it need a key?', KEYS.enter);
    await terminal.answer('Where do replies go?', KEYS.enter);
    await terminal.answer('The bot token of Telegram', BOT_TOKEN + KEYS.enter);
    const code = await eventually(
      `the link in ${terminal.words}`,
      () => /\?start=([0-9a-f]{24})/.exec(terminal.words)?.[1],
    );
    bot.write({ id: 42, type: 'private', first_name: 'Ada' }, `/start ${code}`);
    await terminal.answer('Who sends events?', KEYS.enter);
    expect({ code: await terminal.ended(), words: terminal.words }).toEqual({
      code: 0,
      words: expect.stringContaining(MODEL_REPLY),
    });
    expect(bot.sent).toEqual([{ chat: '42', text: MODEL_REPLY }]);
    expect(terminal.raw).not.toContain(BOT_TOKEN);
  });

  it('leaves nothing behind after Ctrl-C, at whatever question', async () => {
    const flags = ['--model-url', models.baseUrl, '--channel-url', bot.origin];
    using first = new TypedTerminal(['setup', ...flags], dir.path);
    await first.answer('Which model answers?', KEYS.ctrlC);
    expect(await first.ended()).toBe(130);
    using last = new TypedTerminal(
      ['setup', ...flags, ...model(), '--channel', 'telegram'],
      dir.path,
      ENV,
    );
    await eventually(
      `it waits: ${last.words}`,
      () => last.words.includes('press Start') || undefined,
    );
    last.press(KEYS.ctrlC);
    expect(await last.ended()).toBe(130);
    expectNothing();
  });
});

function answer(status: number, body: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(body)],
  };
}
