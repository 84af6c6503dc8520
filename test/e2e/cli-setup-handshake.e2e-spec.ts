import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedCommands } from '../support/served-commands.ts';
import { eventually } from '../support/eventually.ts';
import { hmac } from '../support/signed.ts';

const SECRET = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';

describe('hooks setup of a sender whose secret arrives by handshake', () => {
  let served: ServedCommands;
  beforeEach(async () => {
    served = await ServedCommands.start();
  });
  afterEach(() => served[Symbol.asyncDispose]());

  const fragment = (): string => join(served.dir.path, 'gateway.d/asana.json5');

  const post = (headers: Record<string, string>, body = '{}'): Promise<Response> =>
    fetch(`${served.service.url}/hooks/asana`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  it('waits, shows what came and from where, and puts it in force once it is accepted', async () => {
    await using command = served.begin('setup', 'asana');
    await eventually('it waits', async () => command.stderr.includes('Waiting for the secret'));
    expect((await post({ 'x-hook-secret': SECRET })).headers.get('x-hook-secret')).toBe(SECRET);
    const shown = await command.ended();
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(`Secret: ${SECRET}\n  From:   127.0.0.1\n`);
    expect(shown.stderr).toContain('hooks setup asana --accept');
    expect(existsSync(fragment())).toBe(false);

    const again = await served.hooks('setup', 'asana');
    expect(again.stdout).toContain(`Secret: ${SECRET}\n`);
    const body = JSON.stringify({ events: [{ action: 'added', resource: { gid: '1' } }] });
    const headers = { 'x-hook-signature': hmac('sha256', SECRET, body) };
    expect((await post(headers, body)).status).toBe(401);

    const accepted = await served.hooks('setup', 'asana', '--accept');
    expect([accepted.code, accepted.stdout]).toEqual([0, '']);
    expect(accepted.stderr).toContain('The secret came from 127.0.0.1 at ');
    expect(accepted.stderr).toContain('written: gateway.d/asana.json5');
    expect(readFileSync(fragment(), 'utf8')).toContain(SECRET);
    await eventually('it is in force', async () => (await post(headers, body)).status === 200);

    const second = await served.hooks('setup', 'asana');
    expect(second.stderr).toContain('nothing to write');
    expect((await post({ 'x-hook-secret': 'x'.repeat(32) })).status).toBe(401);
    const { stderr, code } = await served.hooks('setup', 'asana', '--accept');
    expect([code, stderr]).toEqual([1, expect.stringContaining('none was taken')]);
    expect(served.service.stdout).not.toContain(SECRET);
  });

  it('writes nothing of a stranger that is discarded, and takes the next one', async () => {
    await served.json('setup', 'asana');
    const none = await served.hooks('setup', 'asana', '--accept');
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('No secret of Asana came yet'),
    ]);
    await post({ 'x-hook-secret': 'the-secret-of-a-stranger' });
    const { window } = await served.json('setup', 'asana');
    expect(window).toMatchObject({
      taken: { secret: 'the-secret-of-a-stranger', client: '127.0.0.1' },
    });
    expect((await served.hooks('setup', 'asana', '--discard')).code).toBe(0);
    expect((await served.hooks('setup', 'asana', '--accept')).code).toBe(1);
    expect(existsSync(fragment())).toBe(false);
    expect(await served.json('setup', 'asana')).toMatchObject({ window: { taken: null } });
  });

  it('ends with Ctrl-C', async () => {
    await using command = served.begin('setup', 'asana');
    await eventually('it waits', async () => command.stderr.includes('Waiting for the secret'));
    expect((await command.interrupt()).code).toBe(130);
    expect(existsSync(fragment())).toBe(false);
  });
});

describe('--accept and --discard', () => {
  it.each([
    ['github', '--accept'],
    ['github', '--discard'],
    ['asana', '--accept', '--discard'],
    ['asana', '--accept', '--secret', 'another-one'],
    ['asana', '--discard', '--rotate'],
  ])('refuses %s %s %s', async (...args) => {
    using dir = new ConfigDirectory();
    expect((await hooksCall(['setup', ...args], { cwd: dir.path })).code).toBe(2);
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
  });
});
