import { readFile } from 'node:fs/promises';
import JSON5 from 'json5';
import { CHANNEL_IDS } from '../../src/hooks/index.ts';
import type { ChannelId } from '../../src/hooks/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { PLATFORMS, PlatformServer } from '../support/platforms/index.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import type { Ending } from '../support/service-process.ts';

const page = await readFile(new URL('../../docs/channels.md', import.meta.url), 'utf8');
const [, command = ''] = /^hooks (channels test) chan_1 /m.exec(page) ?? [];
/** Those that people write on, before those that comment: the page has a section of steps for each. */
const speeches = PLATFORMS.filter(
  ([name, { provider }]) => name === provider && page.includes(`\n## ${name}\n`),
).slice(0, CHANNEL_IDS.length);

const WITH_ACCESS = speeches.flatMap(([, { refusals }], index) => {
  const [, refused] = refusals.find(([, , kind]) => kind === 'auth') ?? [];
  return refused === undefined ? [] : [[CHANNEL_IDS[index]!, refused] as const];
});

/** What a platform's five steps have a reader write: a line of `.env`, and a line of `gateway.json5`. */
function stepsOf(platform: string): { variable?: string; channels: Record<string, object> } {
  const [, section = ''] = page.split(`\n## ${platform}\n`);
  const [steps = ''] = section.split('\n## ');
  const variable = /`(\w+)=…`/.exec(steps)?.[1];
  const [, written = '{ channels: {} }'] =
    /In `gateway\.json5`.*\n\n {3}```json5\n([\s\S]*?)^ {3}```$/m.exec(steps) ?? [];
  const { channels } = JSON5.parse<{ channels: Record<string, object> }>(written);
  return { ...(variable !== undefined && { variable }), channels };
}

let directory: ConfigDirectory;
let service: ServedGateway;
let servers: Record<ChannelId, PlatformServer>;

async function follow(): Promise<void> {
  const channels: Record<string, object> = {};
  const lines = ['HOOK_TOKEN=hook-token-of-the-setup-test'];
  for (const [index, [platform, speech]] of speeches.entries()) {
    const id = CHANNEL_IDS[index]!;
    servers[id] = await PlatformServer.start(speech);
    const { variable, channels: written } = stepsOf(platform);
    const { apiRoot, tokenUrl } = speech.settings(servers[id].origin);
    channels[id] = { ...written[id], apiRoot, ...(tokenUrl !== undefined && { tokenUrl }) };
    if (variable !== undefined) lines.push(`${variable}=${speech.secret}`);
  }
  const example = await readFile(new URL('../../gateway.example.json5', import.meta.url), 'utf8');
  const configuration = { ...JSON5.parse<object>(example), channels };
  directory = new ConfigDirectory();
  directory.write('gateway.json5', configuration).write('.env', lines.join('\n'));
  service = await ServedGateway.start(directory.path);
}

function test(id: ChannelId): Promise<Ending> {
  const args = [...command.split(' '), id, '--json', '--url', service.url];
  return hooksCall(args, { cwd: directory.path });
}

beforeAll(async () => {
  servers = {} as typeof servers;
  await follow();
});

afterAll(async () => {
  await service.stop();
  directory[Symbol.dispose]();
  await Promise.all(Object.values(servers).map((server) => server.close()));
});

describe('docs/channels.md, followed from nothing to the first message', () => {
  it.each(CHANNEL_IDS)('%s: the test message arrives where the page says', async (id) => {
    const status = expect.stringMatching(/^(?:delivered|accepted)$/);
    const { code, stdout } = await test(id);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ status, messageId: expect.any(String) });
    expect(servers[id].shown).toMatchObject([{ text: expect.stringContaining('test message') }]);
  });

  it.each(WITH_ACCESS)('%s: a wrong secret is told, and is not repeated', async (id, refused) => {
    servers[id].nextMessage(refused);
    const { code, stdout, stderr } = await test(id);
    const shown = stdout + stderr;
    expect(code).toBe(1);
    expect(shown).toContain('check its credentials and permissions');
    expect(shown).not.toContain(servers[id].speech.secret);
  });

  it('no secret of a platform is in the log', () => {
    const logged = service.log.lines.join();
    expect(logged).not.toBe('');
    for (const [, { secret }] of speeches) {
      expect(logged).not.toContain(secret);
      expect(logged).not.toContain(encodeURIComponent(secret));
    }
  });
});
