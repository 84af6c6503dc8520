import { QUADRATIC, growth } from '../../../../test/support/cpu-time.ts';
import { parseBearer, presentedToken } from './presented-token.ts';

describe('presentedToken (behaviour §3)', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer   abc ', 'abc'],
    ['BEARER\tabc', 'abc'],
    ['Bearer', null],
    ['Bearer  ', null],
    ['Basic abc', null],
    ['Bearerabc', null],
  ])('Authorization: %j is %j', (authorization, token) => {
    expect(parseBearer(authorization)).toBe(token);
    expect(presentedToken({ authorization })).toBe(token);
  });

  it('a Bearer wins over x-gateway-token, a blank one does not', () => {
    expect(presentedToken({ authorization: 'Bearer a', 'x-gateway-token': 'b' })).toBe('a');
    expect(presentedToken({ authorization: 'Bearer ', 'x-gateway-token': 'b' })).toBe('b');
  });

  it('blocked the event loop for 100 ms on 16 KB of no-break spaces: is read in one pass now', () => {
    const reading = (size: number) => parseBearer(`Bearer ${'\u00a0'.repeat(size)}`);
    expect(growth(reading, 100_000)).toBeLessThan(QUADRATIC);
  });
});
