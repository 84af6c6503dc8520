import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '../../test/support/eventually.ts';

/** Far more than is kept: some 25 MB. */
const LINES = 150_000;
/** What is kept, a batch that was gathered before the limit was seen, and what the pipe itself holds. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024 + 512 * 1024;

class LoggingProcess implements Disposable {
  readonly lines: Record<string, unknown>[] = [];
  bytes = 0;
  readonly #child: ChildProcess;

  constructor() {
    const logger = new URL('./json-logger.ts', import.meta.url).href;
    const code = `import { JsonLogger } from '${logger}';
      process.stdout.isTTY; // As a start does: the pipe never blocks.
      const logger = new JsonLogger();
      let number = 0;
      process.on('message', (count) => {
        if (count === 0) return logger.flush().then(() => process.exit(0));
        const most = number + count;
        const some = () => {
          for (let n = 0; n < 1000 && number < most; n += 1) logger.log({ number: number++ }, 'Test');
          if (number < most) setImmediate(some);
          else process.send('logged');
        };
        some();
      });`;
    this.#child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
  }

  async log(count: number): Promise<void> {
    const logged = once(this.#child, 'message');
    this.#child.send(count);
    await logged;
  }

  async end(): Promise<unknown> {
    const exited = once(this.#child, 'exit');
    this.#child.send(0);
    return (await exited)[0];
  }

  read(): void {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('no pipe');
    stdout.on('data', (data: Buffer) => (this.bytes += data.length));
    createInterface({ input: stdout }).on('line', (line) => this.lines.push(JSON.parse(line)));
  }

  line(
    what: string,
    isIt: (line: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    return eventually(what, () => this.lines.find(isIt));
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

describe('a log that nobody reads', () => {
  it('keeps what fits while nobody reads, says what it dropped, and goes on', async () => {
    using child = new LoggingProcess();
    await child.log(LINES);
    child.read();
    const lost = await child.line(
      'a count of what was dropped',
      ({ dropped }) => dropped !== undefined,
    );
    const kept = child.lines.slice(0, child.lines.indexOf(lost)).map(({ number }) => number);
    expect(kept).toEqual([...kept.keys()]);
    expect(child.bytes).toBeLessThan(MOST_KEPT_BYTES);
    expect(lost).toMatchObject({ level: 40, context: 'JsonLogger', dropped: LINES - kept.length });
    const count = (LINES - kept.length).toLocaleString('en-US');
    expect(lost['msg']).toBe(`dropped ${count} log lines while nobody read the log`);
    await child.log(1);
    await child.line('the log goes on', ({ number }) => number === LINES);
    expect(child.lines.filter(({ dropped }) => dropped !== undefined)).toHaveLength(1);
  });

  it('lets a process end whose log nobody reads', async () => {
    using child = new LoggingProcess();
    await child.log(LINES);
    expect(await child.end()).toBe(0);
  });
});
