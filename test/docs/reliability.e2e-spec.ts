import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooksCall } from '../support/cli-call.ts';
import { hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const PAGE = new URL('../../docs/reliability.md', import.meta.url);
const TOKEN = 'the-hook-token-of-the-tests';
const CONFIGURATION = { hooks: { enabled: true, token: TOKEN } };

function documented(): string[][] {
  const [, block = ''] =
    /## Backing up\n\n```sh\n([^`]+)```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
  return Array.from(block.matchAll(/^hooks ([^#\n]+?) *#/gm), ([, words = '']) => words.split(' '));
}

describe('docs/reliability.md: Backing up', () => {
  it('has everything that a running service had answered, and a restored one goes on', async () => {
    using dir = new ConfigDirectory().write('gateway.json5', CONFIGURATION);
    using other = new ConfigDirectory().write('gateway.json5', CONFIGURATION);
    await using service = await ServedGateway.start(dir.path);
    const accepted: string[] = [];
    const send = async (to: ServedGateway, text: string) => {
      const { status, body } = await to.post('/hooks/wake', { text });
      expect(status).toBe(200);
      return String(body['eventId']);
    };
    const sending = new AbortController();
    const sendOn = async (sender: number) => {
      for (let n = 0; !sending.signal.aborted || accepted.length < 200; n += 1)
        accepted.push(await send(service, `${sender}-${n}`));
    };
    const first = await send(service, 'first');
    const senders = [1, 2, 3, 4].map(sendOn);

    const [backUp = [], restore = []] = documented();
    expect(await hooksCommand(backUp, { cwd: dir.path })).toMatchObject({ code: 0 });
    sending.abort();
    await Promise.all(senders);

    const [, file = ''] = restore;
    copyFileSync(join(dir.path, file), join(other.path, file));
    mkdirSync(join(other.path, 'data'), { mode: 0o700 });
    const token = readFileSync(join(dir.path, 'data', 'operator-token'), 'utf8').trim();
    other.write('data/operator-token', token);
    expect(await hooksCall(restore, { cwd: other.path })).toMatchObject({ code: 0, stderr: '' });
    await using restored = await ServedGateway.start(other.path);
    expect(await restored.get(`/ops/api/events/${first}`, { token })).toMatchObject({
      status: 200,
      body: { id: first },
    });
    const { body } = await restored.get('/ops/api/events?limit=200', { token });
    const ids = (body['events'] as { id: string }[]).map(({ id }) => id);
    expect([first, ...accepted]).toEqual(expect.arrayContaining(ids));
    expect(new Set([first, ...accepted])).not.toContain(await send(restored, 'goes on'));
  });
});
