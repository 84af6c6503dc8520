import { WriteStream } from 'node:tty';
import { array, assert, integer, property, string } from 'fast-check';
import { Progress, Terminal, tableLines } from './terminal.ts';
import type { Streams } from './terminal.ts';

interface Screen {
  readonly isTTY: boolean;
  readonly columns?: number;
  readonly env?: Record<string, string>;
}

function terminalOf({ isTTY, columns = 80, env = {} }: Screen) {
  let text = '';
  const write = (part: string): boolean => ((text += part), true);
  const stdout: WriteStream = Object.create(WriteStream.prototype, {
    isTTY: { value: isTTY },
    columns: { value: columns },
    write: { value: write },
  });
  const stdin = process.stdin;
  return { terminal: new Terminal({ stdin, stdout, stderr: stdout }, env), text: () => text };
}

describe('Terminal', () => {
  it.each([
    ['no person looks', { isTTY: false, env: { TERM: 'xterm' } }, 'x'],
    ['a person looks', { isTTY: true, env: { TERM: 'xterm' } }, '\u001b[31mx\u001b[39m'],
    ['NO_COLOR is set', { isTTY: true, env: { TERM: 'xterm', NO_COLOR: '1' } }, 'x'],
    ['the terminal has none', { isTTY: true, env: { TERM: 'dumb' } }, 'x'],
  ])('colours where %s', (_, screen, expected) => {
    expect(terminalOf(screen).terminal.style('red', 'x')).toBe(expected);
  });

  it.each([
    [{}, 'See "hooks events list --status failed", or hooks doctor.'],
    [{ npm_lifecycle_event: 'test' }, 'See "hooks events list --status failed", or hooks doctor.'],
    [
      { npm_lifecycle_event: 'npx' },
      'See "npx hooks events list --status failed", or npx hooks doctor.',
    ],
    [
      { npm_lifecycle_event: 'hooks' },
      'See "npm run -s hooks -- events list --status failed", or npm run -s hooks -- doctor.',
    ],
  ])('begun with %j it advises: %s', (env: Record<string, string>, expected) => {
    const { terminal, text } = terminalOf({ isTTY: true, env });
    terminal.learnCommands(['events', 'doctor', 'start']);
    terminal.note('See "hooks events list --status failed", or hooks doctor.');
    expect(text()).toBe(`${expected}\n`);
  });

  it.each([
    'hooks take requests',
    '/hooks start',
    'hooks.events',
    'hooks starting',
    'npx hooks start',
  ])('leaves %s alone', (words) => {
    const { terminal } = terminalOf({ isTTY: true, env: { npm_lifecycle_event: 'npx' } });
    terminal.learnCommands(['events', 'start']);
    expect(terminal.typed(words)).toBe(words);
  });

  it('wraps at the width of the terminal, at most 80 columns', () => {
    const { terminal, text } = terminalOf({ isTTY: true, columns: 200 });
    terminal.printWrapped('word '.repeat(40).trim(), { rest: '  ' });
    const lines = text().trimEnd().split('\n');
    expect(lines.every(({ length }) => length <= 80)).toBe(true);
    expect(lines.slice(1).every((line) => line.startsWith('  word'))).toBe(true);
  });

  it('cuts a table to the width', () => {
    const { terminal, text } = terminalOf({ isTTY: false, columns: 40 });
    terminal.printTable([
      ['id', 'text'],
      ['1', 'x'.repeat(100)],
    ]);
    const [, row = ''] = text().split('\n');
    expect(row).toHaveLength(40);
    expect(row.endsWith('x…')).toBe(true);
  });
});

describe('tableLines', () => {
  it('aligns the columns', () => {
    expect(
      tableLines(
        [
          ['a', 'b'],
          ['long', 'c'],
        ],
        80,
      ),
    ).toEqual(['a     b', 'long  c']);
  });

  it('cuts the widest column first', () => {
    expect(tableLines([['id-1', 'x'.repeat(30)]], 20)).toEqual([`id-1  ${'x'.repeat(13)}…`]);
  });

  it('never is wider than it may be, unless the columns would vanish', () => {
    const rows = array(array(string(), { minLength: 1, maxLength: 6 }));
    const fits = property(rows, integer({ min: 60, max: 80 }), (cells, columns) =>
      tableLines(cells, columns).every((line) => Array.from(line).length <= columns),
    );
    expect(() => assert(fits)).not.toThrow();
  });
});

function written(isTTY: boolean, ...texts: string[]): string {
  let all = '';
  const stream = { isTTY, columns: 20, write: (text: string) => (all += text) };
  const streams = { stdin: {}, stdout: stream, stderr: stream } as unknown as Streams;
  {
    using progress = new Progress(new Terminal(streams));
    for (const text of texts) progress.show(text);
  }
  return all;
}

describe('Progress', () => {
  it('writes one line over and over, and leaves none', () => {
    expect(written(true, 'one', 'one', 'two')).toBe('\r\u001b[2Kone\r\u001b[2Ktwo\r\u001b[2K');
  });

  it('fits the terminal, and shows foreign text as text', () => {
    expect(written(true, 'a'.repeat(30))).toContain(`\r\u001b[2K${'a'.repeat(18)}…\r`);
    expect(written(true, 'a\u001b[2Jb\n')).toContain(String.raw`a\u001b[2Jb`);
  });

  it('is silent where there is no terminal', () => {
    expect(written(false, 'one', 'two')).toBe('');
  });
});
