import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import { neutralize } from './neutralize.ts';
import { isAllSeen, withoutPadding } from './padding.ts';
import { signalsOf } from './signals.ts';

const QUARTER_MEGABYTE = 262_144;

describe('a quarter of a megabyte is read in linear time', () => {
  it.each([
    '<',
    '<|',
    '<|a',
    '[',
    '|',
    ' ',
    '-',
    '_',
    '\n',
    '\r',
    '\n\n',
    ' \n',
    ' \na\n',
    'E',
    'E ',
    'END ',
    'e\u0301',
    'EXTERNAL ',
    'n ',
    'nt ',
    'm',
    '×',
    'Human:',
    ']<]',
    `<|${'a'.repeat(63)}`,
    '<s>',
    '\u200b',
    'a\u200b',
    '😀\u200d',
    '😀\u200d😁 ',
    '1\ufe0f',
    '\u{e0041}',
    '🏴\u{e0067}',
    '﷽',
    'ignore ',
    'ignore all the ',
    'run ',
    'curl ',
    '# ',
    'what is your x ',
    'show me  ',
  ])('of %j', (piece) => {
    const text = (size: number) => piece.repeat(Math.floor(size / piece.length));
    expect(growth((size) => neutralize(text(size)), QUARTER_MEGABYTE)).toBeLessThan(QUADRATIC);
    expect(growth((size) => isAllSeen(text(size)), QUARTER_MEGABYTE)).toBeLessThan(QUADRATIC);
    expect(growth((size) => withoutPadding(text(size)), QUARTER_MEGABYTE)).toBeLessThan(QUADRATIC);
    expect(growth((size) => signalsOf([text(size)]), QUARTER_MEGABYTE)).toBeLessThan(QUADRATIC);
  });
});
