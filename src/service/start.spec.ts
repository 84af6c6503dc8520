import { ConfigurationError } from '../hooks/index.ts';
import { startRefusal } from './start.ts';

describe('startRefusal', () => {
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
