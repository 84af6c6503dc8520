import { givenUrl, isOwnService, listeningUrl } from './find-service.ts';

describe('listeningUrl', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:18790'],
    ['0.0.0.0', 'http://127.0.0.1:18790'],
    ['::', 'http://[::1]:18790'],
    ['fd00::1', 'http://[fd00::1]:18790'],
    ['localhost', 'http://localhost:18790'],
  ])('asks a service that listens on %s at %s', (host, origin) => {
    expect(listeningUrl({ host, port: 18_790 }).origin).toBe(origin);
  });

  it('cannot know a port that was free', () => {
    expect(() => listeningUrl({ host: '127.0.0.1', port: 0 })).toThrow('gateway.port is 0');
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

describe('isOwnService', () => {
  const configured = new URL('http://10.0.0.5:18790');

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
    expect(isOwnService(new URL(url), configured)).toBe(isOwn);
  });
});
