import { readTyped } from './typed-code.ts';

describe('a typed code', () => {
  it.each([
    ['as it was drawn', 'approve 4821-7730'],
    ['in capitals', 'APPROVE 4821-7730'],
    ['without a dash', 'approve 48217730'],
    ['with a blank for the dash', 'approve 4821 7730'],
    ['with a dash as keyboards make it', ' Approve 4821 – 7730.\n'],
  ])('is taken %s', (_how, text) => {
    expect(readTyped(text)).toEqual({ verdict: 'approved', code: '4821-7730' });
  });

  it('denies by that word', () => {
    expect(readTyped('deny 4821-7730')).toEqual({ verdict: 'denied', code: '4821-7730' });
  });

  it.each([
    'please approve 4821-7730',
    'approve 4821-7730 and send it',
    '4821-7730',
    'yes 4821-7730',
    'approve 4821',
  ])('is none in %j', (text) => {
    expect(readTyped(text)).toBeNull();
  });
});
