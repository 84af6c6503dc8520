import { QUADRATIC, growth } from '../../test/support/cpu-time.ts';
import {
  LEFT_OUT,
  isCredentialField,
  leaveOut,
  leaveOutAt,
  leaveOutOfText,
} from './credentials.ts';
import { parseExactly } from './exact-json.ts';

const redact = (...path: string[]) => ({ path, keep: false });
const keep = (...path: string[]) => ({ path, keep: true });

describe('isCredentialField: fields of bodies', () => {
  it.each([
    'token',
    'access_token',
    'downloadToken',
    'cart_token',
    'client_secret',
    'clientSecret',
    'password',
    'passcode',
    'apiKey',
    'api_key',
    'APIKey',
    'private-key',
    'Authorization',
    'signature',
    'pwd',
    'sessionId',
    'auth',
    'clientState',
    'API Key',
    'api.key',
  ])('%s is one', (name) => {
    expect(isCredentialField(name)).toBe(true);
  });

  it.each([
    'key',
    'code',
    'sessionKey',
    'session',
    'groupKey',
    'issue_key',
    'project_key',
    'idempotencyKey',
    'author',
    'author_association',
    'authenticated',
    'design',
    'status',
    'machine',
    'compass',
  ])('%s is none', (name) => {
    expect(isCredentialField(name)).toBe(false);
  });
});

describe('leaveOut', () => {
  it('leaves out by name, at every level, and nothing that cannot be one', () => {
    const value = {
      token: 'xoxb',
      usage: { total_tokens: 12, isSecret: false, secret: null, password: '', passcode: 1234 },
      users: [{ name: 'Ann', apiKey: 'k', credentials: { user: 'a', pass: 'b' } }],
    };
    expect(leaveOut(value)).toEqual({
      token: '[left out]',
      usage: {
        total_tokens: 12,
        isSecret: false,
        secret: null,
        password: '',
        passcode: '[left out]',
      },
      users: [{ name: 'Ann', apiKey: '[left out]', credentials: '[left out]' }],
    });
    expect(value.token).toBe('xoxb');
  });

  it.each([[5], ['token'], [null], [[1, { a: 'x' }]], [{ a: { b: [] } }]])(
    'gives %j itself back',
    (value) => {
      expect(leaveOut(value)).toBe(value);
    },
  );

  it('does as it is told of places, a redacted one in any case', () => {
    const value = { token: 'id-1', items: [{ card: '42', n: 1 }, { card: null }], a: { b: 'c' } };
    expect(
      leaveOut(value, [redact('items', '[]', 'card'), keep('token'), redact('a'), keep('a')]),
    ).toEqual({
      token: 'id-1',
      items: [{ card: '[left out]', n: 1 }, { card: null }],
      a: '[left out]',
    });
    expect(leaveOut([{ x: 1 }, { x: 2 }], [redact('1', 'x')])).toEqual([
      { x: 1 },
      { x: '[left out]' },
    ]);
    expect(leaveOut({ auth: { token: 'x' } }, [keep('auth')])).toEqual({ auth: { token: 'x' } });
  });

  it('keeps the digits and the strange names of what it shows', () => {
    const text = '{"a":9007199254740993,"__proto__":{"token":"x"},"constructor":1}';
    expect(JSON.stringify(leaveOut(parseExactly(text)))).toBe(text.replace('"x"', '"[left out]"'));
    expect({}).not.toHaveProperty('token');
  });

  it('takes linear time', () => {
    const work = (size: number): void => {
      const list = Array.from({ length: size }, (_, n) => ({ [`k${n}`]: n, token: 'x' }));
      leaveOut(list, [redact('[]', 'k5'), keep('[]', 'x', 'y')]);
    };
    expect(growth(work, 100_000)).toBeLessThan(QUADRATIC);
  });
});

describe('leaveOut: fields with dots in their names', () => {
  it.each([
    [['a', 'b', 'c'], { 'a.b': { c: 1 }, a: { 'b.c': 2, b: { c: 3, d: 4 } }, 'a.bc': 5 }],
    [['a.b', 'c'], { 'a.b': { c: 1 } }],
  ])('leaves out what a path may mean, and nothing else: %j', (path, value) => {
    const shown = JSON.stringify(leaveOut(value, [redact(...path)]));
    const left = JSON.stringify(value).replaceAll(/[123]/g, '"[left out]"');
    expect(shown).toBe(left);
  });
});

describe('leaveOutAt: an object that was asked for', () => {
  it('is shown whatever it is called, without the credentials inside', () => {
    const value = { user: 'a', password: 'b', mail: 'c' };
    expect(leaveOutAt(value, ['users', '0'], [redact('users', '[]', 'mail')])).toEqual({
      user: 'a',
      password: '[left out]',
      mail: '[left out]',
    });
    expect(leaveOutAt(value, ['users', '0'], [redact('users')])).toMatchObject({ mail: 'c' });
    expect(leaveOutAt(value, ['users', '0'], [keep('users')])).toBe(value);
  });
});

describe('leaveOutOfText: what looks like a credential in running text', () => {
  it.each([
    ['Authorization: Bearer abcdefg1', 'Authorization: [left out] [left out]'],
    ['Basic dXNlcjpwYXNz and so on', `Basic ${LEFT_OUT} and so on`],
    ['{"clientSecret": "x y"}', '{"clientSecret": "[left out] y"}'],
    ['a?token=1&b=2', 'a?token=[left out]&b=2'],
    ['https://ana:pw@x.y/z', 'https://[left out]@x.y/z'],
    ['ghp_0123456789ab sk-proj-0123456789', '[left out] [left out]'],
    [
      'issue: the key of the house, a basic question',
      'issue: the key of the house, a basic question',
    ],
    ['mail ana@x.y at 10:00', 'mail ana@x.y at 10:00'],
  ])('%j is %j', (text, shown) => expect(leaveOutOfText(text)).toBe(shown));

  it('takes time in proportion to the text', () => {
    for (const bad of [
      'a'.repeat(1000),
      'a='.repeat(500),
      'basic '.repeat(170),
      '://a'.repeat(250),
    ]) {
      const cost = growth((size) => leaveOutOfText(bad.repeat(size)), 400);
      expect(cost).toBeLessThan(QUADRATIC);
    }
  });
});
