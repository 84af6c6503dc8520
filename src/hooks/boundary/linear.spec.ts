import { cpuMilliseconds } from '../../../test/support/cpu-time.ts';
import { neutralize } from './neutralize.ts';
import { signalsOf } from './signals.ts';

const QUARTER_MEGABYTE = 262_144;

/** Far above what it takes (a few ms), far below what quadratic time would (minutes). */
const LIMIT_MS = 500;

describe('a quarter of a megabyte takes no noticeable time', () => {
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
    const text = piece.repeat(Math.floor(QUARTER_MEGABYTE / piece.length));
    neutralize('warm');
    expect(cpuMilliseconds(() => neutralize(text))).toBeLessThan(LIMIT_MS);
    expect(cpuMilliseconds(() => signalsOf([text]))).toBeLessThan(LIMIT_MS);
  });
});
