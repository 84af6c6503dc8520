import { isActive } from './active-hours.ts';

const at = (time: string): number => Date.parse(`2026-01-15T${time}:00Z`);

describe('isActive (behaviour §12 activeHours)', () => {
  it.each([
    ['08:00', '18:00', '08:00', true],
    ['08:00', '18:00', '17:59', true],
    ['08:00', '18:00', '18:00', false],
    ['08:00', '18:00', '07:59', false],
    ['22:00', '06:00', '23:30', true],
    ['22:00', '06:00', '00:00', true],
    ['22:00', '06:00', '05:59', true],
    ['22:00', '06:00', '06:00', false],
    ['22:00', '06:00', '12:00', false],
    ['09:00', '09:00', '03:00', true],
  ])('from %s to %s at %s: %s', (start, end, time, isIn) => {
    expect(isActive({ start, end, timezone: 'UTC' }, at(time))).toBe(isIn);
  });

  it('reads the clock of the time zone', () => {
    const hours = { start: '08:00', end: '09:00', timezone: 'Asia/Tokyo' };
    expect(isActive(hours, at('23:30'))).toBe(true);
  });

  it('is always true without hours', () => {
    expect(isActive(undefined, at('03:00'))).toBe(true);
  });
});
