import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { atLast } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { MODEL_REPLY, OpenAiServer } from '../support/openai-server.ts';
import { BOT_TOKEN, TelegramBot } from '../support/telegram-bot.ts';
import { TARBALL, newDirectory, run, userEnvironment } from './support/packed.ts';

let directory: string;
/** Of npm: what was downloaded before, and nothing that `npx` installed before. */
let cache: string;
let models: OpenAiServer;
let bot: TelegramBot;
beforeAll(async () => {
  [directory, cache] = await Promise.all([newDirectory(), newDirectory()]);
  const { stdout } = await run('npm', ['config', 'get', 'cache'], directory);
  const downloaded = join(stdout.trim(), '_cacache');
  await mkdir(downloaded, { recursive: true });
  await symlink(downloaded, join(cache, '_cacache'));
  models = new OpenAiServer();
  bot = new TelegramBot();
  await Promise.all([models.listen(), bot.listen()]);
});
afterAll(async () => {
  for (const used of [directory, cache]) await rm(used, { recursive: true, force: true });
  await Promise.all([models.close(), bot.close()]);
});

it('goes from npx to a reply in Telegram while the service runs, packages included', async () => {
  // As `npx nestjs-agent-hooks` does for a published one.
  const npx = ['--yes', `--package=${TARBALL}`, '--', 'hooks'];
  const env = {
    GATEWAY_CONFIG_DIR: directory,
    GATEWAY_PORT: String(await freePort()),
    MODEL_API_KEY: 'sk-secret-of-the-tests',
    TELEGRAM_TOKEN: BOT_TOKEN,
    npm_config_cache: cache,
  };
  const service = spawn('npx', [...npx, 'start'], {
    cwd: directory,
    env: { ...userEnvironment(), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(service, 'close');
  let output = '';
  for (const stream of [service.stdout, service.stderr]) {
    stream.on('data', (chunk) => (output += String(chunk)));
  }
  try {
    await atLast(`it listens: ${output}`, () => /Listening on/.exec(output) ?? undefined);
    const model = ['--model', 'compatible', '--model-url', models.baseUrl];
    const channel = ['--channel', 'telegram', '--channel-url', bot.origin, '--to', '4711'];
    const flags = [...model, ...channel, '--sender', 'github', '--yes', '--json'];
    const { stdout } = await run('npx', [...npx, 'setup', ...flags], directory, env);
    expect(JSON.parse(stdout)).toMatchObject({
      installed: [
        expect.stringMatching(/^ai@/),
        expect.stringMatching(/^@ai-sdk\/openai-compatible@/),
        expect.stringMatching(/^grammy@/),
      ],
      story: { status: 'done' },
    });
    expect(bot.sent).toEqual([{ chat: '4711', text: MODEL_REPLY }]);
    expect(await readdir(join(directory, 'gateway.d'))).toEqual([
      'channel-telegram.json5',
      'github.json5',
      'model.json5',
    ]);
    expect(await readFile(join(directory, '.env'), 'utf8')).toContain('TELEGRAM_TOKEN=');
  } finally {
    const isUp = service.exitCode === null && service.signalCode === null;
    if (isUp && service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
    await closed;
  }
});
