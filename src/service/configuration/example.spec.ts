import { readFileSync } from 'node:fs';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { loadConfiguration } from './load.ts';

const ROOT = new URL('../../../', import.meta.url);
const example = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');

describe('gateway.example.json5 with .env.example', () => {
  function inPlace(token: string): ConfigDirectory {
    const env = example('.env.example').replace('HOOK_TOKEN=', `HOOK_TOKEN=${token}`);
    return new ConfigDirectory()
      .write('gateway.json5', example('gateway.example.json5'))
      .write('.env', env);
  }

  it('is the recommended configuration and starts with a token', async () => {
    using dir = inPlace('a-long-random-string-of-ours');
    const { hooks, warnings } = await loadConfiguration(dir.path, {});
    expect(hooks).toMatchObject({
      enabled: true,
      token: 'a-long-random-string-of-ours',
      defaultSessionKey: 'hook:ingress',
      allowRequestSessionKey: false,
      allowedSessionKeyPrefixes: ['hook:'],
    });
    expect(warnings).toEqual([]);
  });

  it('does not start as it is: nobody serves under a token that everybody knows', async () => {
    using dir = inPlace('');
    await expect(loadConfiguration(dir.path, {})).rejects.toThrow('HOOK_TOKEN');
  });

  it('explains every line', () => {
    const lines = example('gateway.example.json5').split('\n');
    const keys = lines.flatMap((line, index) => (/^ {4}\w+:/.test(line) ? [index] : []));
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((index) => !lines[index - 1]?.trim().startsWith('//'))).toEqual([]);
  });
});
