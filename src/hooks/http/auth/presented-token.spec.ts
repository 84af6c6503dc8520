import { QUADRATIC, growth } from '../../../../test/support/cpu-time.ts';
import { parseBearer, presentedToken } from './presented-token.ts';

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

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

  it.each([
    ['Bearer a', 'b', 'a'],
    ['Bearer ', 'b', 'b'],
    ['Basic abc', 'b', 'b'],
    [basic('u:a'), 'b', 'b'],
    [basic('u:a'), ' ', 'a'],
    [undefined, ' ', null],
  ])('Authorization: %j beside x-gateway-token: %j is %j', (authorization, token, presented) => {
    expect(presentedToken({ authorization, 'x-gateway-token': token })).toBe(presented);
  });

  it('is that of the header that the path names, and no other path takes it there', () => {
    const headers = { 'x-own': ' a ', authorization: basic('u:b') };
    expect(presentedToken(headers, 'x-own')).toBe('a');
    expect(presentedToken(headers)).toBe('b');
    expect(presentedToken({ ...headers, 'x-gateway-token': 'c' }, 'x-own')).toBe('c');
  });

  it.each([
    [basic('anybody:abc'), 'abc'],
    [basic(':abc'), 'abc'],
    [basic('abc:'), null],
    [basic('abc').toLowerCase(), null],
    ['Basic ???', null],
    [basic('u:abc').replace('Basic', 'Digest'), null],
  ])('Authorization: %j is the password %j', (authorization, password) => {
    expect(presentedToken({ authorization })).toBe(password);
  });

  it('blocked the event loop for 100 ms on 16 KB of no-break spaces: is read in one pass now', () => {
    const reading = (size: number) => parseBearer(`Bearer ${'\u00a0'.repeat(size)}`);
    expect(growth(reading, 100_000)).toBeLessThan(QUADRATIC);
  });
});
