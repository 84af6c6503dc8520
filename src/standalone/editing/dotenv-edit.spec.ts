import { parseEnv } from 'node:util';
import * as fc from 'fast-check';
import { DotenvError, editDotenv } from './dotenv-edit.ts';

const lines = fc.constantFrom(
  '# A=commented',
  'A=old',
  ' export A = old # why',
  "B='two\nA=inside\nlines'",
  'B="x # y"',
  'C=',
  'C=`"\'`',
  'D=1#2',
  'no assignment',
  '',
  "E='unclosed",
);
const texts = fc
  .tuple(fc.array(lines), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([all, lineEnd, ends]) => all.join(lineEnd) + (ends ? lineEnd : ''));
const values = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('"', "'", '`', '#', '\\n', ' ', '$', '{', '}', '=', 'a', '\n'),
  }),
);

describe('editDotenv', () => {
  it('reads back as exactly the value, and leaves every other variable and line as they are', () => {
    let written = 0;
    fc.assert(
      fc.property(texts, fc.constantFrom('A', 'B', 'NEW'), values, (text, name, value) => {
        const edited = attempt(text, name, value);
        if (edited === undefined) return;
        expect(parseEnv(edited)).toEqual({ ...parseEnv(text), [name]: value });
        expect(bare(parseEnv(text)[name] ?? '')).toContain(bare(unlike(text, edited)));
        written += 1;
      }),
      { numRuns: 3000 },
    );
    expect(written).toBeGreaterThan(1500);
  });

  it('writes every password of letters, digits and signs without quotes of all three kinds', () => {
    const passwords = fc.string({ minLength: 1 }).filter((text) => !text.includes('`'));
    fc.assert(
      fc.property(passwords, (password) => {
        expect(parseEnv(editDotenv('A=1\n', { P: password }))).toEqual({ A: '1', P: password });
      }),
    );
  });

  it('changes a variable where it stands and keeps the comment beside it', () => {
    const text = '# mine\nHOOK_TOKEN=\nexport A = "old" # why\r\nB=2';
    expect(editDotenv(text, { HOOK_TOKEN: 'x y', A: 'new', C: "it's" })).toBe(
      "# mine\nHOOK_TOKEN='x y'\nexport A = new # why\r\nB=2\nC=\"it's\"\n",
    );
  });

  it('changes nothing when the value is there', () => {
    expect(editDotenv('A="1" # x', { A: '1' })).toBe('A="1" # x');
  });

  it.each([
    ['a value that has all three quotes and a #', 'P', 'a\'"`#b'],
    ['a carriage return', 'P', 'a\rb'],
    ['a NUL', 'P', 'a\0b'],
    ['no name', 'P-1', 'x'],
  ])('refuses %s without telling the value', (_, name, value) => {
    expect(() => editDotenv('A=1\n', { [name]: value })).toThrow(DotenvError);
    expect(() => editDotenv('A=1\n', { [name]: value })).not.toThrow(value);
  });
});

function attempt(text: string, name: string, value: string): string | undefined {
  try {
    return editDotenv(text, { [name]: value });
  } catch (error) {
    if (error instanceof DotenvError) return undefined;
    throw error;
  }
}

/** What was taken out of the first text: it begins where the two differ and ends where they are equal again. */
function unlike(before: string, after: string): string {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return before.slice(start, before.length - end);
}

function bare(text: string): string {
  return text.replaceAll(/["'`]/g, '');
}
