import { CapturedLogs } from '../../../test/support/captured-logs.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import { BackendHealth } from './backend-health.ts';

describe('BackendHealth', () => {
  const fail = (backends: BackendHealth, name: string, turn?: number, retryAfterMs?: number) => {
    using visit = backends.visit(name, turn);
    visit.failed({ message: 'no answer', retryAfterMs });
  };

  it('rests until its time is over, then one finds out', () => {
    const clock = new ManualClock();
    const backends = new BackendHealth(clock);
    fail(backends, 'model provider local');
    expect(backends.whyItRests('model provider local')).toBe('no answer');
    clock.advance(2000);
    expect(backends.whyItRests('model provider local')).toBeNull();
    using probe = backends.visit('model provider local');
    expect(backends.whyItRests('model provider local')).toBe('no answer');
    probe.answered();
    expect(backends.whyItRests('model provider local')).toBeNull();
  });

  it('takes failures at once for one, and rests twice as long after the next', () => {
    const clock = new ManualClock();
    const backends = new BackendHealth(clock);
    for (let turn = 0; turn < 10; turn += 1) fail(backends, 'model local/m', turn);
    clock.advance(2000);
    expect(backends.whyItRests('model local/m')).toBeNull();
    fail(backends, 'model local/m');
    clock.advance(2000);
    expect(backends.whyItRests('model local/m')).toBe('no answer');
    clock.advance(2000);
    expect(backends.whyItRests('model local/m')).toBeNull();
  });

  it.each([
    ['lets another turn find out at once whether it is the turn that fails', undefined, null],
    ['keeps every turn away until the time that it named', 10_000, 'no answer'],
  ])('%s', (_what, retryAfterMs, why) => {
    const backends = new BackendHealth(new ManualClock());
    fail(backends, 'model local/m', 1, retryAfterMs);
    expect(backends.whyItRests('model local/m', 1)).toBe('no answer');
    expect(backends.whyItRests('model local/m', 2)).toBe(why);
  });

  it('rests for none of the turns that failed where others were answered, however many', () => {
    const backends = new BackendHealth(new ManualClock());
    const doubted = [1, 2, 3];
    for (const turn of doubted) fail(backends, 'model local/m', turn);
    using healthy = backends.visit('model local/m', 4);
    healthy.answered();
    for (const turn of doubted) fail(backends, 'model local/m', turn);
    expect(backends.whyItRests('model local/m', 5)).toBeNull();
  });

  it.each([
    ['provider "local" answered 503: SECRET words', ' (it answered 503)'],
    ['the connection to provider "local" failed (ECONNREFUSED)', ' (ECONNREFUSED)'],
    ['the package ai is not installed, install it with: …', ' (the package ai is not installed)'],
    ['SECRET words (of a gateway)', ''],
  ])('logs of "%s" only what nobody else can have written', (message, brief) => {
    using logs = new CapturedLogs();
    const backends = new BackendHealth(new ManualClock());
    using visit = backends.visit('model local/SECRET');
    visit.failed({ message, retryAfterMs: undefined });
    const line = `warn a model of model provider local is unavailable${brief}; its turns wait`;
    expect(logs.lines).toEqual([line]);
  });

  it('knows a thousand at most, whatever names requests make up', () => {
    const backends = new BackendHealth(new ManualClock());
    for (let n = 0; n < 1500; n += 1) fail(backends, `model provider p${n}`);
    expect(Object.keys(backends.resting)).toHaveLength(1000);
    expect(backends.whyItRests('model provider p499')).toBeNull();
    expect(backends.whyItRests('model provider p1499')).toBe('no answer');
  });
});
