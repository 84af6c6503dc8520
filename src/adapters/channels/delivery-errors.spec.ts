import { refusal } from './delivery-errors.ts';

describe('refusal', () => {
  const message = (said: string) =>
    refusal({ name: 'x', secrets: [] }, { status: 400, headers: new Headers() }, { message: said })
      .message;

  it('passes on the beginning of what the platform wrote, and half of no character', () => {
    expect(message(`${'y'.repeat(199)}😀`)).toBe(`x refused the message: ${'y'.repeat(199)}`);
    expect(message(`${'y'.repeat(198)}😀z`)).toBe(`x refused the message: ${'y'.repeat(198)}😀`);
    expect(message('a \ud800 b\udc00')).toBe('x refused the message: a \ufffd b\ufffd');
  });
});
