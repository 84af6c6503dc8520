import * as fc from 'fast-check';
import { Rejection } from '../ports/rejection.ts';
import { parseMultipart } from './multipart.ts';

const TYPE = 'multipart/form-data; boundary=XX';

function part(head: string, value = ''): string {
  return `--XX\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
}

const parse = (text: string | Buffer, type = TYPE): Promise<Record<string, unknown>> =>
  parseMultipart(Buffer.from(text), type);

it('what stands before the first part and behind the last is none of it', async () => {
  expect(await parse(`hello\r\n${part('name="a"', '1')}--XX--\r\nbye`)).toEqual({ a: '1' });
});

it('a file is told of by a name that is no path, and no control character', async () => {
  const head = 'name="f"; filename="/etc/../\u202e\u0007pass\twd"\r\nContent-Type: image/png; x=y';
  const { files } = await parse(`${part(head, 'abc')}--XX--`);
  expect(files).toEqual([{ field: 'f', name: 'passwd', type: 'image/png', size: 3 }]);
});

it('a field about charsets changes nothing of what is UTF-8', async () => {
  const text = `${part('name=charset', 'utf-16le')}${part('name=a', 'é')}--XX--`;
  expect(await parse(text)).toEqual({ charset: 'utf-16le', a: 'é' });
});

it('a part has a charset of its own', async () => {
  const text = `${part('name=a\r\nContent-Type: text/plain; charset="iso-8859-1"', 'é')}--XX--`;
  expect(await parse(Buffer.from(text, 'latin1'))).toEqual({ a: 'é' });
});

it('fields of a prototype are dropped or their own', async () => {
  const form = await parse(`${part('name=__proto__', '{}')}${part('name=toString', 'x')}--XX--`);
  expect(Object.entries(form)).toEqual([['toString', 'x']]);
  expect(Object.getPrototypeOf(form)).toBe(Object.prototype);
});

it('what has no name is no field', async () => {
  expect(await parse(`${part('x=y', '1')}--XX--`)).toEqual({});
});

it.each([
  ['1,001 parts', part('name=a').repeat(1001), TYPE, 'a form of at most 1000 fields'],
  ['a head of 9 KB', part(`name=a\r\nx: ${'y'.repeat(9000)}`), TYPE, 'after part 0'],
  ['no boundary', part('name=a'), 'multipart/form-data', 'after part 0'],
  ['the second part cut short', part('name=a') + part('name=b').trimEnd(), TYPE, 'after part 1'],
])('400 for %s', async (_, text, type, words) => {
  const body = text.includes('name=b') ? text : `${text}--XX--`;
  await expect(parse(body, type)).rejects.toMatchObject({
    code: 'invalid_body',
    message: expect.stringContaining(words),
  });
});

it('1,000 parts pass', async () => {
  const { a } = await parse(`${part('name=a').repeat(1000)}--XX--`);
  expect(a).toHaveLength(1000);
});

it('whatever the bytes, it answers or refuses', async () => {
  const pieces = ['--XX', '--', '\r\n', '\r\n\r\n', part('name=a', 'x'), ';', '"', 'é', '\0'];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 20 }), async (some) => {
      const outcome = await parse(some.join('')).catch((error: unknown) => error);
      expect(outcome instanceof Error && !(outcome instanceof Rejection)).toBe(false);
    }),
  );
});
