import { startRefusal } from './start.ts';

describe('startRefusal', () => {
  it('gives the sentence of any other failure without a stack', () => {
    expect(startRefusal(new Error('the disk is full'))).toBe(
      'The service cannot start: the disk is full',
    );
  });

  it('keeps the stack of a mistake in the program', () => {
    expect(startRefusal(new TypeError('x is not a function'))).toContain('\n    at ');
  });
});
