import { validate, version } from 'uuid';
import { RisingIds, drawRandomBytes } from './new-id.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const DAY = 86_400_000;
/** The first 60 bits: what a ledger sorts by. */
const head = (id: string) => id.slice(0, 18);

describe('ids', () => {
  let now: number;
  let ids: RisingIds;
  const draw = (count: number) => Array.from({ length: count }, () => ids.next());
  const notRising = (drawn: readonly string[]) => {
    const heads = drawn.map(head);
    return heads.filter((it, at) => at > 0 && it <= (heads.at(at - 1) ?? ''));
  };

  beforeEach(() => {
    now = NOON;
    ids = new RisingIds(() => now);
  });

  it('are of version 7, with the time in milliseconds and a rest that nobody can guess', () => {
    const [a, b] = [ids.next(), ids.next()];
    expect([validate(a), version(a)]).toEqual([true, 7]);
    expect(parseInt(a.slice(0, 13).replace('-', ''), 16)).toBe(NOON);
    expect(a.slice(19)).not.toBe(b.slice(19));
  });

  it('rise strictly within one millisecond, however many they are', () => {
    expect(notRising(draw(10_000))).toEqual([]);
  });

  it('rise strictly while the clock goes back a day and catches up', () => {
    const drawn = draw(64);
    now -= DAY;
    drawn.push(...draw(64));
    now += 2 * DAY;
    drawn.push(...draw(64));
    expect(notRising(drawn)).toEqual([]);
  });

  it('go on after the last one of an earlier process, though the clock is behind it', () => {
    const before = draw(64);
    ids = new RisingIds(() => now - DAY);
    ids.continueAfter(before.at(-1)!);
    expect(notRising([...before, ...draw(64)])).toEqual([]);
    ids.continueAfter(before.at(0)!);
    expect(notRising([...before, ...draw(1)])).toEqual([]);
  });
});

describe('random bytes', () => {
  it('are as many as were asked for, and never the same, beyond the pool', () => {
    const draws = Array.from({ length: 2000 }, () => drawRandomBytes(13).toString('hex'));
    expect(new Set(draws).size).toBe(2000);
    expect(draws.every((draw) => draw.length === 26)).toBe(true);
  });
});
