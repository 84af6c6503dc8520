import { bareName, isAllowedHost } from './arrival.ts';

const NAMES = new Set(['gateway.example.com', 'nas']);

describe('isAllowedHost', () => {
  it.each([
    undefined,
    '',
    '127.0.0.1',
    '127.0.0.1:18790',
    '10.0.0.5:1',
    '[::1]',
    '[::1]:18790',
    '[fd00::5]:1',
    'localhost',
    'localhost:18790',
    'LOCALHOST',
    'localhost.',
    'a.localhost:1',
    'gateway.example.com',
    'Gateway.Example.COM:443',
    'gateway.example.com.',
    'nas:18790',
  ])('serves %j', (host) => {
    expect(isAllowedHost(host, NAMES)).toBe(true);
  });

  it.each([
    'evil.example',
    'evil.example:18790',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evillocalhost',
    'a.gateway.example.com',
    'nas.evil.example',
    '127.0.0.1:80:80',
    '[::1',
    ':1',
    '::1',
    '[127.0.0.1]',
    '[evil]',
    '127.1',
    '0x7f000001',
    'user@127.0.0.1',
    '127.0.0.1 ',
    '*',
    '..localhost',
    '.localhost',
    '127.0.0.1:1@evil',
    'evil.example#localhost',
    'evil/localhost',
  ])('serves nobody as %j', (host) => {
    expect(isAllowedHost(host, NAMES)).toBe(false);
  });

  it('compares names as DNS does', () => {
    expect(bareName('Gateway.Example.com.')).toBe('gateway.example.com');
  });
});
