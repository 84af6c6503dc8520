import { endOfHours, isWithin } from './hours.ts';

const BERLIN = 'Europe/Berlin';
const night = { start: '22:00', end: '07:00', timezone: BERLIN };
const at = (iso: string): number => Date.parse(iso);
const end = (hours: Parameters<typeof endOfHours>[0], iso: string): string | null => {
  const time = endOfHours(hours, at(iso));
  return time === null ? null : new Date(time).toISOString();
};

describe('hours of a day', () => {
  it('begin with their first minute and end before their last', () => {
    const hours = { start: '08:00', end: '09:30', timezone: 'UTC' };
    const times = ['07:59:59.999', '08:00:00.000', '09:29:59.999', '09:30:00.000'];
    const within = times.map((time) => isWithin(hours, at(`2026-01-01T${time}Z`)));
    expect(within).toEqual([false, true, true, false]);
  });

  it('that span midnight end in the morning', () => {
    expect(end(night, '2026-01-01T20:59:59Z')).toBeNull();
    expect(end(night, '2026-01-01T21:00:00Z')).toBe('2026-01-02T06:00:00.000Z');
    expect(end(night, '2026-01-02T05:59:59Z')).toBe('2026-01-02T06:00:00.000Z');
    expect(end(night, '2026-01-02T06:00:00Z')).toBeNull();
  });

  it('are those of the wall clock when summer begins and ends', () => {
    expect(end(night, '2026-03-28T22:00:00Z')).toBe('2026-03-29T05:00:00.000Z');
    expect(end(night, '2026-10-24T22:00:00Z')).toBe('2026-10-25T06:00:00.000Z');
    // 02:30 does not come that night.
    const until = { start: '01:00', end: '02:30', timezone: BERLIN };
    expect(end(until, '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00.000Z');
    expect(end(until, '2026-10-24T23:30:00Z')).toBe('2026-10-25T00:30:00.000Z');
  });

  it('that are the whole day never end', () => {
    expect(
      end({ start: '08:00', end: '08:00', timezone: 'UTC' }, '2026-01-01T00:00:00Z'),
    ).toBeNull();
  });
});
