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

  it('knows a thousand at most, whatever names requests make up', () => {
    const backends = new BackendHealth(new ManualClock());
    for (let n = 0; n < 1500; n += 1) fail(backends, `model provider p${n}`);
    expect(Object.keys(backends.resting)).toHaveLength(1000);
    expect(backends.whyItRests('model provider p499')).toBeNull();
    expect(backends.whyItRests('model provider p1499')).toBe('no answer');
  });
});
