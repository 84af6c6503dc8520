import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { eventually } from '../../test/support/eventually.ts';
import { JsonLogger } from './json-logger.ts';

let dir: string;
let file: string;
let fd: number;
let logger: JsonLogger;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hooks-log-'));
  file = join(dir, 'log');
  fd = openSync(file, 'w');
  logger = new JsonLogger(fd);
});

afterEach(() => {
  Logger.overrideLogger(true);
  closeSync(fd);
  rmSync(dir, { recursive: true });
});

async function lines(): Promise<Record<string, unknown>[]> {
  await logger.flush();
  const written = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return written.map((line): Record<string, unknown> => JSON.parse(line));
}

describe('JsonLogger', () => {
  it('writes level, time, process, context and text', async () => {
    const before = Date.now();
    logger.log('it runs', 'Service');
    const [line] = await lines();
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      pid: process.pid,
      hostname: hostname(),
      context: 'Service',
      msg: 'it runs',
    });
    expect(Number(line?.['time'])).toBeGreaterThanOrEqual(before);
  });

  it("takes what our loggers say, by way of Nest's", async () => {
    Logger.overrideLogger(logger);
    const ours = new Logger('Work');
    ours.log({ msg: 'listening', url: 'http://x.test' });
    ours.warn({ work: 'w1' }, 'a lease was lost');
    ours.error('it broke', { lane: 'runs' });
    ours.error(new TypeError('not\na function'));
    ours.fatal('over');
    ours.debug('not written');
    expect(await lines()).toMatchObject([
      { level: 30, context: 'Work', msg: 'listening', url: 'http://x.test' },
      { level: 40, context: 'Work', msg: 'a lease was lost', work: 'w1' },
      { level: 50, context: 'Work', msg: 'it broke', lane: 'runs' },
      { level: 50, context: 'Work', msg: 'not a function' },
      { level: 60, context: 'Work', msg: 'over' },
    ]);
  });

  it('hides what might be a secret', async () => {
    logger.log({ token: 'x', payload: { a: 1 }, hook: 'wake' }, 'Hooks');
    expect(await lines()).toMatchObject([{ token: '[hidden]', payload: '[hidden]', hook: 'wake' }]);
  });

  it('drops what Nest says of its wiring, and of a start that failed', async () => {
    logger.log('Mapped {/hooks}', 'RouterExplorer');
    logger.error(new Error('x'), 'a stack', 'ExceptionHandler');
    logger.log('kept', 'Service');
    expect(await lines()).toMatchObject([{ msg: 'kept' }]);
  });

  it('survives what has no JSON', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    logger.log(cycle, 'Service');
    expect(await lines()).toMatchObject([{ msg: expect.stringContaining('no JSON form') }]);
  });

  it('gathers lines and writes them in order, without being asked', async () => {
    logger.log({ number: 0 }, 'Hooks');
    expect(readFileSync(file, 'utf8')).toBe('');
    for (let number = 1; number < 2000; number += 1) logger.log({ number }, 'Hooks');
    await eventually('the last line is written', () =>
      readFileSync(file, 'utf8').includes('"number":1999}\n'),
    );
    expect((await lines()).map(({ number }) => number)).toEqual([...Array(2000).keys()]);
  });

  it('is for a person on a terminal', async () => {
    const readable = new JsonLogger(fd, true);
    const time = expect.stringMatching(/^\d\d:\d\d:\d\d /);
    readable.log('it runs', 'Service');
    readable.log({ hook: 'wake', status: 200, ms: 3.1 }, 'Hooks');
    readable.warn({ msg: 'refused again', reason: 'no "token"' }, 'Hooks');
    readable.error('\u001b[2J\u202Ebad\u2028', 'Hooks');
    await readable.flush();
    const written = readFileSync(file, 'utf8').split('\n');
    expect(written).toEqual([time, time, time, time, '']);
    expect(written.map((line) => line.slice(9))).toEqual([
      'Service: it runs',
      'Hooks: hook=wake status=200 ms=3.1',
      String.raw`warn Hooks: refused again reason="no \"token\""`,
      String.raw`error Hooks: \u{1b}[2J\u{202e}bad\u{2028}`,
      '',
    ]);
  });

  it('lets the service go on where nothing can be written', async () => {
    const closed = openSync(file, 'r');
    const mute = new JsonLogger(closed);
    mute.log('x', 'Service');
    await expect(mute.flush()).resolves.toBeUndefined();
    mute.log('y', 'Service');
    await expect(mute.flush()).resolves.toBeUndefined();
    closeSync(closed);
  });
});
