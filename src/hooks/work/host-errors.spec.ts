import { AgentError, DeliveryError } from '../ports/index.ts';
import { deliveryLease, runLease } from '../../../test/support/leases.ts';
import { WorkUnderTest, settled } from '../../../test/support/work-under-test.ts';

let work: WorkUnderTest;

beforeEach(async () => {
  work = await WorkUnderTest.start();
});
afterEach(() => work.close());

function reports(): string[] {
  return work.log.lines.filter((line) => line.includes('HostErrors'));
}

async function runThatThrows(thrown: unknown): Promise<void> {
  work.runner.reply = () => {
    throw thrown;
  };
  await work.perform(runLease());
}

async function delivery(thrown: unknown): Promise<void> {
  work.channel.answer = () => Promise.reject(thrown);
  await work.perform(deliveryLease());
}

function bug(message = 'the build broke'): TypeError {
  return new TypeError(message);
}

function otherBug(): RangeError {
  return new RangeError('the build broke');
}

describe('an error of the host’s own code', () => {
  it('in its runner is logged with class and place, without its message', async () => {
    await runThatThrows(bug());
    expect(reports()).toEqual([
      expect.stringMatching(
        /the agent runner threw TypeError.+AgentError.+\\n +at bug \(.*host-errors\.spec\.ts:\d+:\d+\)/,
      ),
    ]);
    expect(reports().join()).not.toContain('the build broke');
  });

  it('in a channel is logged with the platform', async () => {
    Object.assign(work.channel, { provider: 'pigeon' });
    await delivery(bug());
    expect(reports()).toEqual([
      expect.stringMatching(/the channel pigeon threw TypeError.+DeliveryError.+\\n +at bug \(/),
    ]);
    expect(reports().join()).not.toContain('the build broke');
  });

  it('is logged once per place', async () => {
    for (let time = 0; time < 3; time += 1) await runThatThrows(bug());
    expect(reports()).toHaveLength(1);
    await runThatThrows(otherBug());
    await runThatThrows(otherBug());
    expect(reports()).toHaveLength(2);
    await delivery(bug());
    expect(reports()).toHaveLength(3);
  });

  it('is not an AgentError or a DeliveryError', async () => {
    await runThatThrows(new AgentError('no', 'permanent'));
    await delivery(new DeliveryError('no', 'permanent'));
    expect(reports()).toEqual([]);
  });

  it('is not what a runner or a channel throws because its signal has aborted', async () => {
    const untilAborted = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    work.runner.reply = (_turn, signal) => untilAborted(signal);
    const run = work.perform(runLease({ timeoutSeconds: 10 }));
    await settled();
    work.clock.advance(10_000);
    await run;
    work.channel.answer = (_message, signal) => untilAborted(signal);
    const late = work.perform(deliveryLease());
    await settled();
    work.clock.advance(30_000);
    await late;
    await work.stopDuring(deliveryLease());
    expect(reports()).toEqual([]);
  });

  it.each([
    ['holds what looks like a place', () => bug('x\n    at the build broke (/x.js:1:1)')],
    ['was changed later', () => Object.assign(bug(), { message: 'x' })],
    ['is empty by now', () => Object.assign(bug(), { message: '' })],
  ])('shows nothing of a message that %s', async (_, make) => {
    await runThatThrows(make());
    expect(reports()).toEqual([expect.stringContaining('TypeError')]);
    expect(reports().join()).not.toContain('the build broke');
  });

  it.each([
    ['the build broke', 'string'],
    [undefined, 'undefined'],
    [{ message: 'the build broke' }, 'object'],
  ])('may be no error at all: %j', async (thrown, type) => {
    await runThatThrows(thrown);
    expect(reports()).toEqual([expect.stringContaining(`threw ${type} instead of`)]);
    expect(reports().join()).not.toContain('the build broke');
  });

  it('is logged as one entry', async () => {
    await runThatThrows(bug());
    expect(reports()[0]).toMatch(/^\["[^"]+",(null,)?"HostErrors"\]$/);
  });
});
