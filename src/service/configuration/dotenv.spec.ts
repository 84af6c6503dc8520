import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { Random } from '../../../test/support/random.ts';
import { ConfigurationError } from '../../hooks/index.ts';
import { dotenvWarnings, withVariables, writeDotenv } from './dotenv.ts';
import type { Variables } from './dotenv.ts';

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
    expect(() => withVariables(undefined, { A: value })).toThrow('.env cannot hold this A');
  });

  it.each(['"', "'", '`'])('replaces all lines of a value in %s', (quote) => {
    const before = `X=1\nexport TOKEN = ${quote}a\nEVIL=0\nb${quote} # mine\nY=2\n`;
    expect(withVariables(before, { TOKEN: 'new' })).toBe('X=1\nTOKEN=new\nY=2\n');
  });

  it('takes no line of another value for the variable', () => {
    const before = 'OTHER="a\nTOKEN=b\nc"\n';
    expect(withVariables(before, { TOKEN: 'new' })).toBe(`${before}TOKEN=new\n`);
  });

  it('replaces each of several lines of one variable, so that none of them keeps the old value', () => {
    expect(withVariables('A=1\nB=2\nA=3\n', { A: 'new' })).toBe('A=new\nB=2\nA=new\n');
  });

  it('fills in what a template leaves empty', () => {
    expect(withVariables('export TOKEN=\nX=1\n', { TOKEN: 'a' })).toBe('TOKEN=a\nX=1\n');
  });

  it('refuses to change another variable', () => {
    // The quote of the new value would close that of the other.
    expect(() => withVariables("OTHER='a\n", { TOKEN: 'b c' })).toThrow('.env cannot hold this');
  });

  it('changes these variables and no other, whatever the file has', () => {
    const random = new Random(44);
    const quotes = ['"', "'", '`'];
    const inner = ['a', ' ', '#', '=', 'EVIL=0', 'A=1', '\n', '\r\n', '\\n', '$', 'ü'];
    const text = (): string =>
      Array.from({ length: random.between(0, 4) }, () => random.pick(inner)).join('');
    const written = (): string => {
      const quote = random.pick(quotes);
      return random.chance(0.6) ? `${quote}${text()}${quote}` : text().replaceAll(/\s/g, '');
    };
    const line = (): string => {
      const head = `${random.pick(['', ' ', 'export ', '\texport  '])}${random.pick(['A', 'B', 'A_2'])}`;
      const assignment = `${head}${random.pick(['=', ' = '])}${written()}`;
      return random.pick([assignment, assignment, assignment, '# A=1 "', '']);
    };
    // Node calls an empty variable behind `export` by both words.
    const isOther = (name: string): boolean => !/^(?:export\s+)?A$/.test(name);
    const read = (file: string): [string, unknown][] => Object.entries(parseEnv(file));
    const changes = Array.from({ length: 3000 }, () => {
      const lines = Array.from({ length: random.between(0, 5) }, line);
      const before = lines.join(random.pick(['\n', '\r\n']));
      const value = random.pick(['new', 'two words', '#1', "it's"]);
      const others = Object.fromEntries(read(before).filter(([name]) => isOther(name)));
      return {
        before,
        after: changedOrRefused(before, { A: value }),
        wanted: { ...others, A: value },
      };
    }).filter(({ after }) => after !== undefined);
    expect(changes.length).toBeGreaterThan(2850);
    for (const { before, after = '', wanted } of changes) {
      expect([before, Object.fromEntries(read(after))]).toEqual([before, wanted]);
    }
  });
});

function changedOrRefused(before: string, variables: Variables): string | undefined {
  try {
    return withVariables(before, variables);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

describe('dotenvWarnings', () => {
  it.each(['abc#def', '"abc"def', '"abc', "'it's'", ''])(
    'tells that %j is not read whole',
    (value) => {
      const [warning, ...others] = dotenvWarnings(`A=1\nexport B = ${value}\nC=2\n`);
      expect(others).toEqual([]);
      expect(warning).toEqual({
        key: '.env',
        message: expect.stringContaining('a value of B that'),
      });
      expect(warning?.message).not.toContain('abc');
    },
  );

  it.each(['abc', 'abc # mine', '"abc#def"', "'a' # mine", '"a\nC=b#c\nd"', '', '# mine', 'a=b'])(
    'tells nothing of %j',
    (value) => {
      expect(dotenvWarnings(`B=${value}\n#A=b#c\n`)).toEqual([]);
    },
  );

  it('shows no line of a secret', () => {
    expect(dotenvWarnings('KEY=begin\nMII/abc+=#x\n')).toEqual([]);
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
