import { readFileSync } from 'node:fs';
import { describeError, errorCode, errorMessage, failedCall } from './errors.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('errorCode', () => {
  it('is the system’s', () => {
    expect(errorCode(thrownBy(() => readFileSync('/no/such/file')))).toBe('ENOENT');
  });

  it('is looked for in the causes, and in the first of several errors', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const several = new AggregateError([refused, new Error('y')]);
    const failed = new TypeError('fetch failed', { cause: several });
    expect(errorCode(failed)).toBe('ECONNREFUSED');
    expect(failedCall(failed)).toBe('connect');
  });

  it.each([
    [{ code: 7 }],
    [{ code: 'a sentence with a secret' }],
    [{ code: 'commander.help' }],
    ['ENOENT'],
    [null],
    [undefined],
  ])('there is none in %j', (error) => {
    expect(errorCode(error)).toBeUndefined();
  });

  it('ends with causes that go round', () => {
    const error = new Error('round');
    error.cause = error;
    expect(errorCode(error)).toBeUndefined();
  });
});

describe('an error in one line', () => {
  const error = new TypeError('no\n  such\u0007 thing');

  it('with its kind', () => {
    expect(describeError(error)).toBe('TypeError: no   such  thing');
  });

  it('without the content of what is no error', () => {
    expect(describeError('the token is abc')).toBe('string');
    expect(describeError({ token: 'abc' })).toBe('object');
  });

  it('as its message alone', () => {
    expect(errorMessage(error)).toBe('no   such  thing');
    expect(errorMessage('broken')).toBe('broken');
    expect(errorMessage(undefined)).toBe('undefined');
  });
});
