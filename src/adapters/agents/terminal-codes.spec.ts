import { cpuMilliseconds } from '../../../test/support/cpu-time.ts';
import { stripVTControlCharacters } from 'node:util';
import { withoutTerminalCodes } from './terminal-codes.ts';

describe('withoutTerminalCodes', () => {
  it.each([
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b[38;2;1;2;3mtrue\u001b[39m colour', 'true colour'],
    ['\u001b[38:5:1mcolons\u001b[m', 'colons'],
    ['\u001b[2K\u001b[1Gdone\u001b[?25h', 'done'],
    ['\u001b]0;a title\u0007text', 'text'],
    ['\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b31mred', 'red'],
    ['list[0]; (a) # 1? ü', 'list[0]; (a) # 1? ü'],
  ])('reads %j as Node does', (text, plain) => {
    expect(withoutTerminalCodes(text)).toBe(plain);
    expect(stripVTControlCharacters(text)).toBe(plain);
  });

  it.each(['\u001b]', '\u001b]a;', '\u001b[', '\u001b[1;', '\u009b', '\u001b]8;;\u001b', ';1'])(
    'is done with a megabyte of %j at once',
    (piece) => {
      const text = `\u001b]${piece.repeat(Math.ceil(1_048_576 / piece.length))}`;
      expect(cpuMilliseconds(() => withoutTerminalCodes(text))).toBeLessThan(1000);
    },
  );
});
