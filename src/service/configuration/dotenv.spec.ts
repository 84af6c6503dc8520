import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { withVariables, writeDotenv } from './dotenv.ts';

describe('withVariables', () => {
  it('replaces the line that is there, adds what is not, and leaves the rest', () => {
    const before = '# mine\nexport TOKEN = old # once\nOTHER="a b"';
    const after = withVariables(before, { TOKEN: 'new', KEY: 'sk-1' });
    expect(after).toBe('# mine\nTOKEN=new\nOTHER="a b"\nKEY=sk-1\n');
    expect(withVariables(after, { TOKEN: 'new', KEY: 'sk-1' })).toBe(after);
  });

  it('takes no name for another that begins like it', () => {
    expect(withVariables('TOKEN_2=two\n', { TOKEN: 'one' })).toBe('TOKEN_2=two\nTOKEN=one\n');
  });

  it.each(['a b', "it's", '#hash', 'a`b"c', '$1', '${NAME}', '=', 'ünï'])('says %j', (value) => {
    expect(parseEnv(withVariables(undefined, { A: value }))).toEqual({ A: value });
  });

  it.each(['a\nB=1', `'"\``])('refuses what no line can say: %j', (value) => {
    expect(() => withVariables(undefined, { A: value })).toThrow(RangeError);
  });
});

it('is written for its owner alone, where a link to it leads', () => {
  using dir = new ConfigDirectory();
  using elsewhere = new ConfigDirectory();
  const file = join(elsewhere.path, 'secrets');
  elsewhere.write('secrets', 'A=1\n');
  symlinkSync(file, join(dir.path, '.env'));
  writeDotenv(dir.path, 'A=2\n');
  expect(readFileSync(file, 'utf8')).toBe('A=2\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dir.path, '.env'), 'utf8')).toBe('A=2\n');
});
