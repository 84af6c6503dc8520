import * as fc from 'fast-check';
import { Rejection } from '../ports/rejection.ts';
import { parseJson } from './parse-json.ts';

function refusal(body: string | Uint8Array): string {
  try {
    parseJson(typeof body === 'string' ? Buffer.from(body) : Buffer.from(body));
  } catch (error) {
    if (error instanceof Rejection && error.code === 'invalid_json') return error.message;
    throw error;
  }
  return 'accepted';
}

const value = (text: string): unknown => parseJson(Buffer.from(text)).value;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJson', () => {
  it('an empty or blank body is {}', () => {
    for (const text of ['', ' \r\n', '\uFEFF']) {
      expect(parseJson(Buffer.from(text))).toEqual({ value: {}, text: '{}', isVerbatim: false });
    }
  });

  it('drops one byte order mark, and refuses a second', () => {
    expect(parseJson(Buffer.from('\uFEFF{"a":1}'))).toEqual({
      value: { a: 1 },
      text: '{"a":1}',
      isVerbatim: false,
    });
    expect(parseJson(Buffer.from('{"a":1}'))).toMatchObject({ text: '{"a":1}', isVerbatim: true });
    expect(refusal('\uFEFF\uFEFF{}')).toContain('unexpected character');
  });

  it('takes any JSON value; of duplicate keys the last wins', () => {
    expect(['null', '1', '"x"', '[]', '{"a":1,"a":2}'].map(value)).toEqual([
      null,
      1,
      'x',
      [],
      { a: 2 },
    ]);
  });

  it.each([
    [
      '{',
      'Send a body that is valid JSON in UTF-8: a property name in double quotes or a colon is missing (at character 2).',
    ],
    ['{"a":', 'it ends too early'],
    ['"secret', 'it ends too early'],
    ['{"secret":1}}', 'something follows the value (at character 13)'],
    ['{"secret" 1}', 'a property name in double quotes or a colon is missing (at character 11)'],
    ['secret', 'it has an unexpected character'],
    ['"secret\n"', 'a bare line break or control character'],
    [String.raw`"secret\q"`, 'a wrong escape'],
  ])('says what is wrong with %j without a word of it', (text, words) => {
    expect(refusal(text)).toContain(words);
    expect(refusal(text)).not.toContain('secret');
  });

  it.each([
    [[0xff], 1],
    [[0x22, 0xc0, 0xaf, 0x22], 2],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 2],
    [[0x22, 0xef, 0xbf, 0xbd, 0xe9, 0x22], 5],
  ])('refuses bytes that are not UTF-8, and says where: %j', (bytes, place) => {
    expect(refusal(Buffer.from(bytes))).toContain(`it is not UTF-8 (at byte ${place})`);
  });

  it('lone surrogates pass and can be written again', () => {
    expect(JSON.stringify(value(String.raw`["\ud800","\udc00x"]`))).toBe(
      String.raw`["\ud800","\udc00x"]`,
    );
  });

  it('1,000 levels pass, 1,001 do not', () => {
    expect(JSON.stringify(value(nested(1000)))).toBe(nested(1000));
    expect(refusal(nested(1001))).toContain('nested deeper than 1000 levels');
  });

  it('a million values pass, and fifty thousand numbers that a double would round; more do not', () => {
    const list = (value: string, count: number): string => `[${`${value},`.repeat(count)}0]`;
    expect(value(list('0', 1_000_000))).toHaveLength(1_000_001);
    expect(refusal(list('0', 1_000_001))).toContain('more than 1000000 values');
    expect(value(list('1e999', 50_000))).toHaveLength(50_001);
    expect(refusal(list('1e999', 50_001))).toContain('more than 50000 numbers');
  });

  it.each([nested(100_000), '['.repeat(100_000), '{"a":'.repeat(100_000), `"${'['.repeat(3000)}`])(
    'refuses 100,000 levels, closed or not, and never crashes',
    (text) => {
      expect(refusal(text)).not.toBe('accepted');
    },
  );

  it('brackets inside of strings are no levels', () => {
    const text = JSON.stringify({ a: `${'['.repeat(5000)}\\"{[`, b: '\\\\' });
    expect(JSON.stringify(value(text))).toBe(text);
  });

  it('__proto__ keys are dropped at every level, however they are spelled', () => {
    const text = String.raw`{"__proto__":{"x":1},"a":[{"\u005f_proto__":2,"b":3,"__pro\u0074o__":4}]}`;
    const parsed = value(text);
    expect(parsed).toEqual({ a: [{ b: 3 }] });
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(JSON.stringify(parsed)).toBe('{"a":[{"b":3}]}');
  });

  it('gives back every JSON value it is sent', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.includes('__proto__'));
        const parsed = parseJson(Buffer.from(text));
        expect(parsed.value).toEqual(JSON.parse(Buffer.from(text).toString()));
      }),
    );
  });

  it('whatever the bytes, it answers or refuses', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      '"',
      '\\',
      ':',
      ',',
      '"__proto__"',
      '\\u00',
      '1',
      ' ',
    );
    const texts = fc
      .array(piece, { maxLength: 3000 })
      .map((pieces) => Buffer.from(pieces.join('')));
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.oneof(texts, bytes), (body) => {
        const isAccepted = refusal(body) === 'accepted';
        const again = isAccepted ? JSON.stringify(parseJson(Buffer.from(body)).value) : '';
        expect(typeof again).toBe('string');
      }),
    );
  });
});
