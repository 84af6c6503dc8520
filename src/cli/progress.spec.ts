import type { Streams } from './terminal.ts';
import { Terminal } from './terminal.ts';
import { Progress } from './progress.ts';

/** What is written to stderr by a progress that shows these texts. */
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
