import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { ServedCommands } from '../support/served-commands.ts';

let served: ServedCommands;
beforeEach(async () => (served = await ServedCommands.start()));
afterEach(() => served[Symbol.asyncDispose]());

const wake = (text: string) => served.post('wake', { text, mode: 'next-heartbeat' });

describe('hooks events tail', () => {
  it('tells the last events and new ones until Ctrl-C, and ends with 130', async () => {
    const before = await wake('before');
    await using tail = served.begin('events', 'tail');
    await eventually('it has begun', () => tail.lines.length === 1);
    const after = await wake('after');
    await eventually('the new one is shown', () => tail.lines.length === 2);
    const { code, stdout, stderr } = await tail.interrupt();
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
    const [first, second] = stdout.split('\n');
    expect(first).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d  done  ${before}  wake {18}before$`));
    expect(second).toContain(after);
  });

  it('prints one JSON document on each line, until an event has ended', async () => {
    await using tail = served.begin('events', 'tail', '--json');
    const id = await served.post('agent', { message: 'x' });
    const printed = () => tail.lines.map((line): unknown => JSON.parse(line));
    const end = expect.objectContaining({ id, hook: 'agent', status: 'done', mapping: null });
    await eventually('its end is shown', () => tail.stdout.includes('"status":"done"'));
    expect((await tail.interrupt()).code).toBe(130);
    expect(printed()).toContainEqual(end);
  });

  it('survives a restart of the service and misses nothing', async () => {
    await using tail = served.begin('events', 'tail');
    const first = await wake('first');
    await eventually('the first is shown', () => tail.stdout.includes(first));
    await served.service.stop();
    await eventually('it says so', () => tail.stderr.includes('does not answer'));
    await served.boot();
    const second = await wake('second');
    await eventually('the second is shown', () => tail.stdout.includes(second));
    const { code, stdout, stderr } = await tail.interrupt();
    expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 130, lines: 2 });
    expect(stderr).toBe('the service does not answer, waiting for it\nthe service answers again\n');
  });

  it('follows by the operator’s own socket', async () => {
    await using own = await ServedCommands.start({}, (dir) => ({
      ops: { listen: `unix:${join(dir, 'ops.sock')}` },
    }));
    await using tail = own.begin('events', 'tail', '--hook', 'wake');
    const begun = await own.post('wake', { text: 'one', mode: 'next-heartbeat' });
    await eventually('it is shown', () => tail.stdout.includes(begun));
    await own.post('agent', { message: 'of another hook' });
    const last = await own.post('wake', { text: 'two', mode: 'next-heartbeat' });
    await eventually('it is shown', () => tail.stdout.includes(last));
    const { code, stdout, stderr } = await tail.interrupt();
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });
});
