import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { mattermost } from '../support/platforms/mattermost.ts';
import { ServedGateway } from '../support/served-gateway.ts';

let dir: ConfigDirectory;
let first: PlatformServer;
let second: PlatformServer;
let gateway: ServedGateway;

const configured = (channels?: object): object => ({
  hooks: { enabled: true, token: 'a-hook-token-of-good-length' },
  agents: { defaults: { runner: { type: 'demo' } } },
  ...(channels !== undefined && { channels }),
});
const servedBy = (server: PlatformServer): object => ({
  chan_5: { ...mattermost.settings(server.origin), to: mattermost.to },
});

beforeEach(async () => {
  dir = new ConfigDirectory();
  [first, second] = await Promise.all([
    PlatformServer.start(mattermost),
    PlatformServer.start(mattermost),
  ]);
  dir.write('gateway.json5', configured());
  gateway = await ServedGateway.start(dir.path);
});

afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([first.close(), second.close()]);
  dir[Symbol.dispose]();
});

async function ask(message: string): Promise<void> {
  const { status } = await gateway.ask('POST', '/hooks/agent', { body: { message } });
  expect(status).toBe(200);
}

const listed = async (): Promise<unknown> => (await gateway.ask('GET', '/ops/api/channels')).body;
const restartFor = async (): Promise<unknown> =>
  (await gateway.ask('GET', '/ops/api/configuration')).body['restartFor'];

async function change(channels: object | undefined, isSeen: (list: string) => boolean) {
  dir.replace('gateway.json5', configured(channels));
  await eventually('the channels are in force', async () => isSeen(JSON.stringify(await listed())));
}

describe('channels that are changed while the service runs', () => {
  it('serve the next test message and reply, without a restart', async () => {
    const test = (): ReturnType<ServedGateway['ask']> =>
      gateway.ask('POST', '/ops/api/channels/chan_5/test', { body: {} });
    expect(await test()).toMatchObject({ status: 404, body: { code: 'unknown_channel' } });
    await change(servedBy(first), (list) => list.includes('chan_5'));
    expect(await restartFor()).toEqual([]);
    expect(await test()).toMatchObject({ status: 200, body: { status: 'delivered' } });
    await ask('one');
    await eventually('the reply is shown', () => first.shown.length === 2);
  });

  it('are of the new account for what comes later, and nobody after they are removed', async () => {
    await change(servedBy(first), (list) => list.includes('chan_5'));
    await ask('one');
    await eventually('the reply is shown', () => first.shown.length === 1);
    dir.replace('gateway.json5', configured(servedBy(second)));
    const inForce = (line: string): boolean => line.includes('changed configuration is in force');
    await eventually(
      'both changes are in force',
      () => gateway.log.lines.filter(inForce).length === 2,
    );
    await ask('two');
    await eventually('the reply is shown by the new one', () => second.shown.length === 1);
    expect(first.shown).toHaveLength(1);
    await change(undefined, (list) => !list.includes('chan_5'));
  });
});
