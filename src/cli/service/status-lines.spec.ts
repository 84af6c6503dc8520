import type { AttentionItem, ServiceStatus } from '../../service/index.ts';
import { PLAIN } from '../text-layout.ts';
import type { ServicePlace } from './service-place.ts';
import { needsPerson, statusLines } from './status-lines.ts';

const FINE: ServiceStatus = {
  version: '1.2.3',
  node: '26.0.0',
  startedAt: '2026-01-01T10:00:00.000Z',
  ready: true,
  paused: false,
  work: [],
  channels: [],
  mail: null,
  attention: [],
};

const DEAD: AttentionItem = {
  kind: 'dead-work',
  severity: 'warning',
  what: '2 runs of x\u009b were given up',
  todo: 'retry them',
  command: 'hooks events retry --all',
  since: null,
  next: null,
  parts: [],
  count: 2,
  hook: 'x',
  channel: null,
  actions: [],
};
const typed = (text: string) => text.replace('hooks events', 'npx hooks events');
const LOOK = { now: Date.parse('2026-01-03T10:00:00.000Z'), columns: 80, paint: PLAIN, typed };

function screen(
  over: Partial<ServiceStatus>,
  at: ServicePlace = { url: new URL('http://gw:1') },
): string {
  return statusLines({ ...FINE, ...over }, at, LOOK).join('\n');
}

describe('the screen of hooks status', () => {
  it('says where a browser finds the console', () => {
    expect(screen({})).toContain('console: http://gw:1/console\n');
    expect(screen({}, { url: new URL('https://gw/below') })).toContain(
      'https://gw/below/console\n',
    );
    const url = new URL('http://localhost');
    expect(screen({}, { url, socketPath: '/run/ops.sock' })).toContain(
      'console: http://localhost:18791/console, after: ssh -L 18791:/run/ops.sock <this machine>\n',
    );
  });

  it('counts what runs and what waits', () => {
    const text = screen({
      work: [
        { kind: 'run', state: 'running', count: 2 },
        { kind: 'delivery', state: 'waiting', count: 1, oldestDueAt: LOOK.now },
        { kind: 'run', state: 'waiting', count: 7, oldestDueAt: LOOK.now },
        { kind: 'heartbeat', state: 'waiting', count: 1 },
      ],
    });
    expect(text).toContain('running: 2 runs\n');
    expect(text).toContain('waiting: 1 delivery, 7 runs; for later: 1 heartbeat\n');
    expect(text).toMatch(/^Service at http:\/\/gw:1 fine\n/);
  });

  it('says that the service is broken, whatever else there is', () => {
    const text = screen({ ready: false, paused: true, work: null, attention: [DEAD] });
    expect(text).toMatch(/^Service at http:\/\/gw:1 broken\n/);
    expect(text).toContain('waiting: unknown');
  });

  it('shows what needs a person with what to type, and lets none of it steer the terminal', () => {
    const demo: AttentionItem = { ...DEAD, severity: 'info', what: 'a demo', command: null };
    const text = screen({ attention: [DEAD, demo] });
    expect(text).toMatch(/^Service at http:\/\/gw:1 needs you\n/);
    expect(text).toMatch(
      /Needs you\n +2 runs of x\\u009b were given up\n +→ npx hooks events retry --all\n/,
    );
    expect(text).toMatch(/Good to know\n +a demo\n +→ retry them$/);
  });

  it('counts as fine what is only good to know', () => {
    const attention: AttentionItem[] = [{ ...DEAD, severity: 'info' }];
    expect(needsPerson({ attention })).toBe(false);
    expect(screen({ attention })).toMatch(/^Service at http:\/\/gw:1 fine\n/);
    expect(needsPerson({ attention: [DEAD] })).toBe(true);
  });
});
