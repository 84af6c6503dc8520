import { readFileSync } from 'node:fs';
import { ConfigDirectory } from '../../test/support/config-directory.ts';
import { loadConfiguration } from './load-configuration.ts';

const ROOT = new URL('../../', import.meta.url);
const example = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');

describe('gateway.example.json5 with .env.example', () => {
  it('is the recommended configuration and starts as it is', async () => {
    using dir = new ConfigDirectory();
    dir
      .write('gateway.json5', example('gateway.example.json5'))
      .write('.env', example('.env.example'));
    const { hooks, warnings } = await loadConfiguration(dir.path, {});
    expect(hooks).toMatchObject({
      enabled: true,
      token: 'replace-me-with-a-long-random-string',
      defaultSessionKey: 'hook:ingress',
      allowRequestSessionKey: false,
      allowedSessionKeyPrefixes: ['hook:'],
    });
    expect(warnings).toEqual([]);
  });

  it('explains every line', () => {
    const lines = example('gateway.example.json5').split('\n');
    const keys = lines.flatMap((line, index) => (/^ {4}\w+:/.test(line) ? [index] : []));
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((index) => !lines[index - 1]?.trim().startsWith('//'))).toEqual([]);
  });
});
