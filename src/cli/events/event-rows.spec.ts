import { eventDetails } from '../../../test/support/event-details.ts';
import { displayWidth } from '../terminal.ts';
import { PLAIN } from '../text-layout.ts';
import { eventRows, tailRow } from './event-rows.ts';

const NOW = Date.parse('2026-01-01T10:05:00.000Z');
const ID = '01a1ff3d-f048-76c2-8166-ec88c6c9d5de';
const STEERING = /[\p{Cc}\p{Bidi_Control}\u{e0000}-\u{e0fff}]/u;
/** Raw URLs may hold C1 controls: they are read as latin1. */
const HOOK = `${'\u009b2J'.repeat(9)}${'x'.repeat(300)}`;
const HOSTILE = `\u001b]52;c;eA==\u0007\u202e\u{e0041}\r${'漢字👩'.repeat(100_000)}`;

const look = (columns: number) => ({ columns, now: NOW, paint: PLAIN });
const rows = (event: Partial<ReturnType<typeof eventDetails>>, columns: number) =>
  eventRows([eventDetails({ id: ID, ...event })], look(columns));

const FAILED = {
  status: 'failed',
  hook: 'github',
  headline: 'GitHub: pull request 12 of a/b was opened by ana',
  error: 'the model local/a is away: nothing listens there (ECONNREFUSED)',
} as const;

describe('a row of the list of events', () => {
  it('tells when, how it stands, which, by which hook, what about and why it failed', () => {
    expect(rows(FAILED, 200)).toEqual([
      `10:00:00  fail  ${ID}  github                ${FAILED.headline}  ${FAILED.error}`.slice(
        0,
        200,
      ),
    ]);
    expect(rows(FAILED, 80)).toEqual([
      '10:00:00  fail  01a1ff3d-f048  github      GitHub: pull req…  the model local/a…',
    ]);
    expect(rows(FAILED, 60)).toEqual([
      '10:00:00  fail  01a1ff3d-f048  github      GitHub…  the mod…',
    ]);
  });

  it('gives all of its room to what there is to say', () => {
    expect(rows({ headline: 'disk full' }, 80)).toEqual([
      '10:00:00  done  01a1ff3d-f048  ci          disk full',
    ]);
    expect(rows({ status: 'skipped', error: 'no case takes it' }, 80)).toEqual([
      '10:00:00  skip  01a1ff3d-f048  ci          no case takes it',
    ]);
    expect(rows({ ...FAILED, headline: 'short' }, 80)).toEqual([
      '10:00:00  fail  01a1ff3d-f048  github      short  the model local/a is away: no…',
    ]);
  });

  it('says why an event waits', () => {
    const waitReason = 'waits for model provider local: it answered 429';
    expect(rows({ status: 'running', headline: 'disk full', waitReason }, 110)).toEqual([
      '10:00:00  wait  01a1ff3d-f048  ci          disk full  waits for model provider local: it answered 429',
    ]);
  });

  it('says the day where it is another, in all rows alike', () => {
    const [today, before] = eventRows(
      [eventDetails({ id: ID }), eventDetails({ id: ID, receivedAt: '2025-12-31T08:00:00.000Z' })],
      look(80),
    );
    expect(today).toMatch(/^ {6}10:00:00 {2}done/);
    expect(before).toMatch(/^12-31 08:00:00 {2}done/);
  });

  it('names the mapping where the hook does not', () => {
    expect(rows({ hook: 'github', mapping: 'gh' }, 200)[0]).toContain('  github (gh)');
    expect(rows({ mapping: 'ci' }, 200)[0]).toMatch(/ {2}ci$/);
  });

  it.each([60, 80, 200])('of hostile text fits %i columns and steers nothing', (columns) => {
    const [line = ''] = rows(
      { hook: HOOK, headline: HOSTILE, error: HOSTILE, status: 'failed' },
      columns,
    );
    expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    expect(line).not.toMatch(STEERING);
    expect(line).toContain('01a1ff3d-f048');
  });
});

describe('a row of the tail', () => {
  it('has the time of what happened, in the time zone of whoever looks', () => {
    const at = NOW - 1000;
    const time = new Date(at).toTimeString().slice(0, 'hh:mm:ss'.length);
    const line = tailRow(eventDetails({ id: ID, status: 'running', headline: 'x' }), at, look(80));
    expect(line).toBe(`${time}  run   01a1ff3d-f048  ci          x`);
  });
});
