import { isAllSeen } from './index.ts';

describe('a text is all seen (behaviour §15)', () => {
  it.each([
    ['ordinary lines', 'Dear Ann,\n\n\tyes.\r\n\r\nBen'],
    ['3 blank lines in a row', 'a\n\n\n\nb'],
    ['3 that hold blanks, and more apart from them', 'a\n \n\u3000\n\t\nb\n\n\nc'],
    ['40 blanks in a row', `a${' '.repeat(20)}${'\u00a0'.repeat(20)}b`],
    ['braille and Hangul', '\u2801\u2802 한글'],
    ['an emoji with what it needs', '👩‍👧 ❤️'],
  ])('with %s', (_what, text) => {
    expect(isAllSeen(text)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['blanks alone', ' \n\u00a0'],
    ['4 blank lines', 'a\n\n\n\n\nb'],
    ['4 blank lines at its beginning', '\n\n\n\nb'],
    ['4 that hold what nobody sees', 'a\n\u2800\n\u3164\n\u200b\n\u00ad\nb'],
    ['41 blanks', `a${' '.repeat(41)}b`],
    ['41 of several kinds', `a${'\u2003\t\u205f'.repeat(14)}b`],
    ['a full blank of Egyptian hieroglyphs', 'a\u{13441}b'],
    ['a vertical tab', 'a\vb'],
    ['the next line of C1', 'a\u0085b'],
  ])('but not with %s', (_what, text) => {
    expect(isAllSeen(text)).toBe(false);
  });
});
