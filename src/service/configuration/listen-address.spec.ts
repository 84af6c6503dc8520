import { addressText, isLocalAddress, isSamePort, parseListenAddress } from './listen-address.ts';

const tcp = (host: string | undefined, port: number) => ({ kind: 'tcp' as const, host, port });

describe('parseListenAddress', () => {
  it.each([
    [18_791, tcp('127.0.0.1', 18_791)],
    [0, tcp('127.0.0.1', 0)],
    ['127.0.0.1:18791', tcp('127.0.0.1', 18_791)],
    ['[::1]:18791', tcp('::1', 18_791)],
    ['[::]:1', tcp('::', 1)],
    [':18791', tcp(undefined, 18_791)],
    ['localhost:80', tcp('localhost', 80)],
    ['gate-way.example.com:80', tcp('gate-way.example.com', 80)],
    ['unix:/run/hooks/ops.sock', { kind: 'unix', path: '/run/hooks/ops.sock' }],
    ['unix:///run/hooks/ops.sock', { kind: 'unix', path: '/run/hooks/ops.sock' }],
    ['unix:data/ops.sock', { kind: 'unix', path: '/etc/hooks/data/ops.sock' }],
    ['unix:/run/a:1', { kind: 'unix', path: '/run/a:1' }],
  ])('%j', (value, address) => {
    expect(parseListenAddress(value, '/etc/hooks')).toEqual(address);
  });

  it.each([
    -1,
    65_536,
    1.5,
    Number.NaN,
    '',
    '18791',
    '127.0.0.1',
    '127.0.0.1:',
    '127.0.0.1:65536',
    '::1:18791',
    '[127.0.0.1]:1',
    '[::g]:1',
    'http://127.0.0.1:1',
    '127.0.0.1:1/ops',
    '*:1',
    'unix:',
    'unix:/run/',
    'unix:a\0b',
    `unix:/${'a'.repeat(107)}`,
    null,
    true,
    {},
    ['x:1'],
  ])('refuses %j', (value) => {
    expect(parseListenAddress(value, '/etc/hooks')).toBeNull();
  });

  it('counts the bytes of a socket with its directory before it', () => {
    expect(parseListenAddress(`unix:${'a'.repeat(90)}`, `/${'b'.repeat(20)}`)).toBeNull();
    expect(parseListenAddress(`unix:/${'ä'.repeat(53)}`)).not.toBeNull();
    expect(parseListenAddress(`unix:/${'ä'.repeat(54)}`)).toBeNull();
  });
});

describe('isLocalAddress', () => {
  it.each([
    [tcp('127.0.0.1', 1), true],
    [tcp('::1', 1), true],
    [tcp('localhost', 1), true],
    [{ kind: 'unix' as const, path: '/a' }, true],
    [tcp(undefined, 1), false],
    [tcp('0.0.0.0', 1), false],
    [tcp('10.0.0.5', 1), false],
  ])('%j: %s', (address, isLocal) => {
    expect(isLocalAddress(address)).toBe(isLocal);
  });
});

describe('addressText', () => {
  it.each(['127.0.0.1:1', '[::1]:1', ':1', 'unix:/run/a.sock'])('writes %s again', (text) => {
    const address = parseListenAddress(text);
    expect(address && addressText(address)).toBe(text);
  });
});

describe('isSamePort', () => {
  const hooks = tcp('127.0.0.1', 18_790);

  it.each([
    [tcp('127.0.0.1', 18_790), true],
    [tcp(undefined, 18_790), true],
    [tcp('0.0.0.0', 18_790), true],
    [tcp('10.0.0.5', 18_790), false],
    [tcp('127.0.0.1', 18_791), false],
  ])('%j: %s', (other, isSame) => {
    expect(isSamePort(hooks, other)).toBe(isSame);
    expect(isSamePort(other, hooks)).toBe(isSame);
  });

  it('lets two have any free port', () => {
    expect(isSamePort(tcp('127.0.0.1', 0), tcp('127.0.0.1', 0))).toBe(false);
  });
});
