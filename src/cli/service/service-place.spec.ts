import { givenPlace, givenUrl, isOwnPlace, listeningPlace, placeText } from './service-place.ts';

describe('listeningPlace', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:18790'],
    ['0.0.0.0', 'http://127.0.0.1:18790'],
    ['::', 'http://[::1]:18790'],
    ['fd00::1', 'http://[fd00::1]:18790'],
    ['localhost', 'http://localhost:18790'],
  ])('asks a service that listens on %s at %s', (host, origin) => {
    expect(listeningPlace({ kind: 'tcp', host, port: 18_790 }, '').url.origin).toBe(origin);
  });

  it('cannot know a port that was free', () => {
    const place = () => listeningPlace({ kind: 'tcp', host: '::1', port: 0 }, 'ops.listen');
    expect(place).toThrow('The port of ops.listen is 0');
  });

  it('connects to a socket', () => {
    const place = listeningPlace({ kind: 'unix', path: '/run/hooks/ops.sock' }, '');
    expect(place).toMatchObject({ socketPath: '/run/hooks/ops.sock' });
    expect(placeText(place)).toBe('unix:/run/hooks/ops.sock');
  });
});

describe('givenUrl', () => {
  it.each(['http://a:1', 'https://a.example/gw/', 'http://[::1]:9'])('takes %s', (text) => {
    expect(givenUrl(text).href.replace(/\/$/, '')).toBe(text.replace(/\/$/, ''));
  });

  it.each(['', 'a:1', 'ftp://a', 'http://u:p@a', 'http://a/?token=x', 'http://a#x', 'file:///etc'])(
    'refuses %j',
    (text) => {
      expect(() => givenUrl(text)).toThrow('--url is not the address of a service');
    },
  );
});

describe('givenPlace', () => {
  it('takes a socket', () => {
    expect(givenPlace('unix:/run/ops.sock', '--ops-url')).toMatchObject({
      socketPath: '/run/ops.sock',
    });
  });

  it.each(['unix:', 'unix:ops.sock', '/run/ops.sock'])('refuses %j', (text) => {
    expect(() => givenPlace(text, '--ops-url')).toThrow('--ops-url is not the address');
  });
});

describe('isOwnPlace', () => {
  const configured = [{ url: new URL('http://10.0.0.5:18790') }];

  it.each([
    ['http://10.0.0.5:18790', true],
    ['http://127.0.0.1:1', true],
    ['https://[::1]:1', true],
    ['http://localhost:1', true],
    ['http://10.0.0.5:18791', false],
    ['https://10.0.0.5:18790', false],
    ['http://127.0.0.1.evil.example:1', false],
    ['http://localhost.evil.example', false],
  ])('%s: %s', (url, isOwn) => {
    expect(isOwnPlace({ url: new URL(url) }, configured)).toBe(isOwn);
  });
});
