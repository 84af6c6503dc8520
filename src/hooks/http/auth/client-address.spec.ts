import * as fc from 'fast-check';
import { clientAddress, parseRange, throttleKey } from './client-address.ts';
import type { TrustedRange } from './client-address.ts';

const ranges = (...entries: string[]): TrustedRange[] => entries.map((entry) => parseRange(entry)!);

describe('clientAddress', () => {
  it.each([
    ['nobody is trusted', '1.1.1.1', '9.9.9.9', [], '1.1.1.1'],
    ['the socket is not a trusted proxy', '1.1.1.1', '9.9.9.9', ['10.0.0.0/8'], '1.1.1.1'],
    ['a trusted proxy names the client', '10.0.0.1', '9.9.9.9', ['10.0.0.0/8'], '9.9.9.9'],
    [
      'the right-most one that is not trusted',
      '10.0.0.1',
      '6.6.6.6, 9.9.9.9, 10.0.0.2',
      ['10.0.0.0/8'],
      '9.9.9.9',
    ],
    [
      'a malformed entry ends the walk',
      '10.0.0.1',
      '9.9.9.9, rubbish, 10.0.0.2',
      ['10.0.0.0/8'],
      '10.0.0.2',
    ],
    [
      'all are trusted: the one the proxy saw',
      '10.0.0.1',
      '10.0.0.3, 10.0.0.2',
      ['10.0.0.0/8'],
      '10.0.0.2',
    ],
    ['an empty header', '10.0.0.1', '', ['10.0.0.0/8'], '10.0.0.1'],
    ['no header', '::ffff:10.0.0.1', undefined, ['10.0.0.0/8'], '10.0.0.1'],
    ['the socket is IPv4-mapped', '::ffff:10.0.0.1', '9.9.9.9', ['10.0.0.0/8'], '9.9.9.9'],
    [
      'entries with ports and brackets',
      '10.0.0.1',
      '[2001:db8::1]:443, 10.0.0.2:80',
      ['10.0.0.0/8'],
      '2001:db8::1',
    ],
    ['IPv6 proxies', '2001:db8::1', '2001:db9::1', ['2001:db8::/32'], '2001:db9::1'],
    ['IPv4 is never within an IPv6 range', '10.0.0.1', '9.9.9.9', ['::/0'], '10.0.0.1'],
    ['a short form is malformed', '10.0.0.1', '9.9', ['10.0.0.0/8'], '10.0.0.1'],
    ['no address at all (a Unix socket)', undefined, '9.9.9.9', ['10.0.0.0/8'], 'local'],
  ] as const)('%s', (_title, socket, forwarded, trusted, client) => {
    expect(clientAddress(socket, forwarded, ranges(...trusted))).toBe(client);
  });

  it('without trusted proxies no header changes anything', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.string(), (socket, header) => {
        expect(clientAddress(socket, header, [])).toBe(socket);
      }),
    );
  });

  it('an attacker behind a trusted proxy cannot choose its address', () => {
    const untrusted = fc.ipV4().filter((address) => !address.startsWith('10.'));
    fc.assert(
      fc.property(untrusted, fc.string(), (client, forged) => {
        const header = `${forged}, ${client}`;
        expect(clientAddress('10.0.0.1', header, ranges('10.0.0.0/8'))).toBe(client);
      }),
    );
  });
});

describe('parseRange', () => {
  it.each([
    '10.0.0.1',
    '10.0.0.0/8',
    '0.0.0.0/0',
    '::1',
    '2001:db8::/32',
    '::ffff:10.0.0.0/104',
    ' 10.0.0.1 ',
  ])('%j is a range', (entry) => expect(parseRange(entry)).not.toBeNull());

  it.each([
    '',
    'proxy',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/x',
    '10.0.0',
    '::/129',
    '[::1]',
    '10.0.0.1:80',
  ])('%j is none', (entry) => expect(parseRange(entry)).toBeNull());
});

describe('throttleKey', () => {
  it('folds IPv4-mapped addresses', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(throttleKey(`::ffff:${address}`)).toBe(throttleKey(address));
      }),
    );
  });

  it('is one for a whole IPv6 /64 and another for the next', () => {
    const group = fc.integer({ min: 0, max: 0xff_ff }).map((number) => number.toString(16));
    const half = fc.array(group, { minLength: 4, maxLength: 4 }).map((groups) => groups.join(':'));
    const publicHalf = half.map((groups) => `2001:${groups.split(':').slice(1).join(':')}`);
    fc.assert(
      fc.property(publicHalf, half, half, (network, one, two) => {
        expect(throttleKey(`${network}:${one}`)).toBe(throttleKey(`${network}:${two}`));
      }),
    );
    expect(throttleKey('2001:db8:0:1::1')).not.toBe(throttleKey('2001:db8:0:2::1'));
  });

  it('keeps a scope apart', () => {
    expect(throttleKey('ops:::ffff:1.2.3.4')).toBe('ops:1.2.3.4');
    expect(throttleKey('ops:2001:db8::1')).toBe('ops:2001:db8:0:0::/64');
  });
});
