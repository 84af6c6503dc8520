import type { ServiceStatus } from '../../service/index.ts';
import { PLAIN } from '../text-layout.ts';
import { needsOf, statusLines } from './status-lines.ts';

const FINE: ServiceStatus = {
  version: '1.2.3',
  node: '26.0.0',
  startedAt: '2026-01-01T10:00:00.000Z',
  ready: true,
  paused: false,
  work: [],
  lost: [],
  channels: [],
  mail: null,
};
const LOOK = { now: Date.parse('2026-01-03T10:00:00.000Z'), columns: 80, paint: PLAIN };

function screen(over: Partial<ServiceStatus>): string {
  return statusLines({ ...FINE, ...over }, new URL('http://gw:1'), LOOK).join('\n');
}

describe('the screen of hooks status', () => {
  it('counts what runs and what waits', () => {
    const text = screen({
      work: [
        { kind: 'run', state: 'running', count: 2 },
        { kind: 'delivery', state: 'waiting', count: 1 },
        { kind: 'run', state: 'waiting', count: 7 },
      ],
    });
    expect(text).toContain('running: 2 runs\n');
    expect(text).toContain('waiting: 1 delivery, 7 runs\n');
    expect(text).toMatch(/^Service at http:\/\/gw:1 fine\n/);
  });

  it('begins with what is worst', () => {
    const text = screen({ ready: false, paused: true, work: null, lost: null });
    expect(text).toMatch(/^Service at http:\/\/gw:1 broken\n/);
    expect(text).toContain('waiting: unknown');
    expect(text).toMatch(/Needs you\n +events cannot be stored\n/);
  });

  it('says what to do about dead work, lost requests and mail', () => {
    const needs = needsOf({
      ...FINE,
      work: [{ kind: 'delivery', state: 'dead', count: 2 }],
      lost: [
        {
          hook: 'ci',
          code: 'payload_too_large',
          status: 413,
          count: 1,
          since: '2026-01-03T09:00:00.000Z',
          what: 'lost \u009b',
          todo: 'raise it',
        },
      ],
      mail: {
        account: 'a',
        state: 'expired',
        isDegraded: true,
        hint: 'renew it',
        mailboxes: [],
      },
    });
    expect(needs).toEqual([
      { what: String.raw`lost \u009b`, todo: 'raise it' },
      { what: 'mail is expired', todo: 'renew it' },
      { what: 'given up: 2 deliveries', todo: 'hooks events retry --all, or dismiss --all' },
    ]);
  });
});
