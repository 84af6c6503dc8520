import { GATEWAY_KEYS, listenFailure } from './listen-failure.ts';
import { startRefusal } from './start.ts';

function systemError(code: string): Error {
  const place = { address: '127.0.0.1', port: 80 };
  return Object.assign(new Error(code), { code, syscall: 'listen', ...place });
}

describe('listenFailure', () => {
  it.each([
    ['EADDRINUSE', 'is in use by another program; stop it or set gateway.port (GATEWAY_PORT)'],
    ['EACCES', 'may not be used by this user; set gateway.port (GATEWAY_PORT)'],
    ['EADDRNOTAVAIL', 'is no address of this machine; correct gateway.host (GATEWAY_HOST)'],
    ['EOTHER', 'failed with EOTHER; correct gateway.host (GATEWAY_HOST)'],
  ])('says what to do about %s', (code, words) => {
    const sentence = startRefusal(listenFailure(systemError(code), GATEWAY_KEYS));
    expect(sentence).toContain(`The service cannot listen: 127.0.0.1:80 ${words}`);
  });

  it.each(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'EOTHER'])(
    'names ops.listen where that was listened on: %s',
    (code) => {
      const sentence = startRefusal(
        listenFailure(systemError(code), { host: 'ops.listen', port: 'ops.listen' }),
      );
      expect(sentence).toContain('ops.listen');
      expect(sentence).not.toContain('gateway');
    },
  );

  it('leaves every other error as it is', () => {
    const other = new Error('the disk is full');
    expect(listenFailure(other, GATEWAY_KEYS)).toBe(other);
  });
});
