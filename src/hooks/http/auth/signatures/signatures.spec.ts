import { compileVerifier } from './index.ts';
import type { VerifierOptions } from './index.ts';

describe('compileVerifier', () => {
  it('says what is wrong with its options, by field', () => {
    expect(compileVerifier({ scheme: 'githup', secrets: ['x'] })).toEqual({
      problems: [{ key: 'scheme', message: 'is no known scheme; did you mean github?' }],
    });
    expect(compileVerifier({ scheme: 'github', secrets: [] })).toEqual({
      problems: [{ key: 'secrets', message: 'must hold at least one secret' }],
    });
    expect(compileVerifier({ scheme: 'standard-webhooks', secrets: ['a', '!'] })).toEqual({
      problems: [
        { key: 'secrets[0]', message: expect.stringContaining('Base64') },
        { key: 'secrets[1]', message: expect.stringContaining('Base64') },
      ],
    });
  });

  it.each<[string, VerifierOptions, string, RegExp]>([
    ['a secret that is blank', { scheme: 'github', secrets: [' '] }, 'secrets[0]', /blank/],
    ['a sender that signs nothing', { scheme: 'datadog', secrets: ['x'] }, 'scheme', /not sign/],
    ['a URL that nobody named', { scheme: 'square', secrets: ['x'] }, 'publicUrl', /Square signs/],
    ['a short shared secret', { scheme: 'telegram', secrets: ['short'] }, 'secrets[0]', /16/],
    [
      'Basic without a user',
      { scheme: 'postmark', secrets: ['x'.repeat(20)] },
      'secrets[0]',
      /user/,
    ],
    ['a key in the wrong form', { scheme: 'discord', secrets: ['x'] }, 'secrets[0]', /64 hexa/],
    ['a key of another curve', { scheme: 'sendgrid', secrets: ['MFkw'] }, 'secrets[0]', /P-256/],
    [
      'an endless tolerance',
      { scheme: 'stripe', secrets: ['x'], toleranceSeconds: 86_401 },
      'toleranceSeconds',
      /86400/,
    ],
    [
      'details of a known scheme',
      { scheme: 'github', secrets: ['x'], header: 'x' },
      'header',
      /hmac alone/,
    ],
    ['a header with blanks', { scheme: 'hmac', secrets: ['x'], header: 'x y' }, 'header', /name/],
  ])('refuses %s', (_title, options, key, message) => {
    expect(compileVerifier(options)).toEqual({
      problems: [{ key, message: expect.stringMatching(message) }],
    });
  });
});
