import { oneLine } from './shorten.ts';

describe('oneLine', () => {
  it.each([
    ['two\r\nlines\tand  blanks ', 'two lines and blanks'],
    ['\u001b]52;c;eA==\u0007x\u009b2J', ']52;c;eA== x 2J'],
    ['a\u202eb\u2066c\u2069\u200fd', 'abcd'],
    ['in\u200bvis\u{e0041}ible\ufeff', 'invisible'],
    ['half \ud800of a pair', 'half of a pair'],
    ['👩\u200d👧 می\u200cخواهم ❤\ufe0f', '👩\u200d👧 می\u200cخواهم ❤\ufe0f'],
    ['\n\n', ''],
  ])('of %j is %j', (text, line) => {
    expect(oneLine(text, 80)).toBe(line);
  });

  it('is cut at so many characters, and never within one', () => {
    expect(oneLine('a'.repeat(80), 80)).toBe('a'.repeat(80));
    expect(oneLine('a'.repeat(81), 80)).toBe(`${'a'.repeat(79)}…`);
    expect(oneLine('😀😀😀', 4)).toBe('😀…');
    expect(oneLine(' '.repeat(1_000_000), 80)).toBe('');
  });
});
