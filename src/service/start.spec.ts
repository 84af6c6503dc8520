import { ConfigurationError } from '../hooks/index.ts';
import { startRefusal } from './start.ts';

function listenError(code: string): Error {
  return Object.assign(new Error(code), {
    code,
    syscall: 'listen',
    address: '127.0.0.1',
    port: 80,
  });
}

describe('startRefusal', () => {
  it.each([
    ['EADDRINUSE', 'is in use by another program'],
    ['EACCES', 'may not be used by this user'],
    ['EADDRNOTAVAIL', 'is no address of this machine'],
    ['EOTHER', 'failed with EOTHER'],
  ])('says what to do about %s', (code, words) => {
    expect(startRefusal(listenError(code))).toContain(`127.0.0.1:80 ${words}`);
  });

  it('lists every problem of the configuration', () => {
    const problems = [
      { key: 'a', message: 'is wrong' },
      { key: 'b', message: 'is missing' },
    ];
    expect(startRefusal(new ConfigurationError(problems))).toMatch(
      / {2}a is wrong\n {2}b is missing$/,
    );
  });

  it('gives the sentence of any other failure without a stack', () => {
    expect(startRefusal(new Error('the disk is full'))).toBe(
      'The service cannot start: the disk is full',
    );
  });

  it('keeps the stack of a mistake in the program', () => {
    expect(startRefusal(new TypeError('x is not a function'))).toContain('\n    at ');
  });
});
