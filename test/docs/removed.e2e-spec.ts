import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REMOVED_COMMANDS, REMOVED_KEYS, REMOVED_OPERATIONS } from '../../src/platform/removed.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import type { Method } from '../support/operated-service.ts';
import { OperatedService } from '../support/operated-service.ts';

function withKey(name: string): object {
  const [path = '', value = 'x'] = name.split(': ');
  if (path === 'channels.*.provider') return { channels: { chan_1: { provider: value } } };
  const key = path.split('.').at(-1) ?? '';
  if (key === 'protocol') {
    const runner = { type: 'http', mode: 'callback', baseUrl: 'http://a', protocol: value };
    return { agents: { defaults: { runner } } };
  }
  return {
    hooks: path.includes('[]')
      ? { mappings: [{ id: 'a', [key]: value }] }
      : { defaults: { [key]: value } },
  };
}

it('docs/upgrading.md lists what was removed', () => {
  const page = readFileSync(new URL('../../docs/upgrading.md', import.meta.url), 'utf8');
  const rows = Array.from(page.matchAll(/^\| `([^`]+)` +\| (.*?) +\|$/gm), ([, name, instead]) => ({
    name,
    instead,
  }));
  expect(rows).toEqual(
    expect.arrayContaining([...REMOVED_COMMANDS, ...REMOVED_KEYS, ...REMOVED_OPERATIONS]),
  );
});

describe('what was removed says what to do instead', () => {
  using dir = new ConfigDirectory();

  it.each(REMOVED_COMMANDS)('$name', async ({ name, instead }) => {
    const [, ...args] = name.replace('--matching', '--matching=x').split(' ');
    const { code, stdout, stderr } = await hooksCall([...args, '--x'], { cwd: dir.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: "${name}" was removed: ${instead}\n`);
    expect(existsSync(join(dir.path, 'data'))).toBe(false);
  });

  it.each(REMOVED_KEYS)('$name', async ({ name, instead }) => {
    using own = new ConfigDirectory().write('gateway.json5', withKey(name));
    const { code, stdout, stderr } = await hooksCall(['config', 'check'], { cwd: own.path });
    expect(code).toBe(1);
    const sentence = `${name.includes(': ') ? 'which ' : ''}was removed: ${instead}`;
    expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toContain(sentence);
  });

  describe('operations', () => {
    it.each(REMOVED_OPERATIONS)('$name', async ({ name, instead }) => {
      await using service = await OperatedService.start();
      const [method = '', path = ''] = name.replace(/\{\w+\}/g, 'x').split(' ');
      const answer = await service.ask(method as Method, path, {});
      expect(answer).toMatchObject({
        status: 404,
        body: { ok: false, code: 'not_found', error: `"${name}" was removed: ${instead}` },
      });
    });
  });
});
