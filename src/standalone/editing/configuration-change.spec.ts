import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { readConfigurationFiles } from '../configuration-files.ts';
import { ConfigurationChange } from './configuration-change.ts';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

const WISH = {
  edits: [{ kind: 'set', path: ['hooks', 'token'], value: '${T}' }],
  variables: { T: 'a-token-of-the-tests-that-is-long' },
} as const;

function change(): ConfigurationChange {
  return new ConfigurationChange(dir.path, readConfigurationFiles(dir.path), WISH, '{}\n');
}

function text(name: string): string {
  return readFileSync(join(dir.path, name), 'utf8');
}

describe('ConfigurationChange', () => {
  it('knows what would be wrong before anything is written', async () => {
    dir.write('gateway.json5', '{ hooks: { enabled: true, nonsense: 1 } }');
    const { problems } = await change().inspect({});
    expect(problems.map(({ key }) => key)).toEqual(['hooks.nonsense']);
    expect(existsSync(join(dir.path, '.env'))).toBe(false);
  });

  it('writes both files, or only what changes', () => {
    change().apply();
    expect(text('gateway.json5')).toBe("{\n  hooks: {\n    token: '${T}',\n  },\n}\n");
    expect(text('.env')).toBe(`T=${WISH.variables.T}\n`);
    const again = change();
    expect([again.changesGateway, again.changesDotenv]).toEqual([false, false]);
  });

  it.each(['gateway.json5', '.env'])('refuses when %s was changed meanwhile', (name) => {
    dir.write('gateway.json5', '{}');
    const planned = change();
    dir.write(name, '// somebody else\n{}\n');
    expect(() => planned.apply()).toThrow(`${name} was changed by somebody else meanwhile`);
    expect(text('gateway.json5')).not.toContain('hooks');
  });

  it('refuses a file that is not UTF-8: its bytes would not come back', () => {
    const bytes = Buffer.from("{ hooks: { name: 'gr\xfc\xdfe' } }", 'latin1');
    writeFileSync(join(dir.path, 'gateway.json5'), bytes);
    expect(() => change().apply()).toThrow('gateway.json5 is not UTF-8 throughout');
    expect(readFileSync(join(dir.path, 'gateway.json5'))).toEqual(bytes);
    expect(existsSync(join(dir.path, '.env'))).toBe(false);
  });
});
