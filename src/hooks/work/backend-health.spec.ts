import { CapturedLogs } from '../../../test/support/captured-logs.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import { BackendHealth } from './backend-health.ts';

describe('BackendHealth', () => {
  const fail = (backends: BackendHealth, name: string) => {
    using visit = backends.visit(name);
    visit.failed({ message: 'no answer', retryAfterMs: undefined });
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
