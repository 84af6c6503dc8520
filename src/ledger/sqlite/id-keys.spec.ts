import { RisingIds } from '../../platform/new-id.ts';
import { idOf, keyOf, ownKeyOf, restOf } from './id-keys.ts';

describe('keys of ids', () => {
  it.each(['1970-01-01', '2020-01-01', '2026-11-22', '2088-12-31'])('of %s', (day) => {
    const ids = new RisingIds(() => Date.parse(day));
    const drawn = Array.from({ length: 5000 }, () => ids.next());
    const keys = drawn.map(ownKeyOf);
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
    expect(new Set(keys).size).toBe(5000);
    expect(drawn.map((id) => idOf(ownKeyOf(id), restOf(id)))).toEqual(drawn);
  });

  it.each([
    '',
    '1',
    'event-1',
    '01900000-0000-4000-8000-000000000001',
    '01900000-0000-7000-8000-00000000000G',
    'ffffffff-ffff-7fff-bfff-ffffffffffff',
  ])('%j is the id of nothing', (id) => {
    expect(keyOf(id)).toBeNull();
    expect(() => ownKeyOf(id)).toThrow('is no id');
  });
});
