import { createReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { readPayload, withHeader, withParameter } from './request-input.ts';

const cwd = import.meta.dirname;

describe('readPayload', () => {
  it('takes the bytes as they are, from a file or stdin', async () => {
    const text = '{"a": 1.0, "a": "ä"}\n';
    const stdin = Readable.from([Buffer.from(text)]);
    expect(String(await readPayload('-', { cwd, stdin }))).toBe(text);
    const file = '../../package.json';
    expect(JSON.parse(String(await readPayload(file, { cwd, stdin })))).toHaveProperty('version');
  });

  it.each(['', '{', 'null x', '\u001b]0;t\u0007'])('refuses %j: 2', async (text) => {
    const stdin = Readable.from([Buffer.from(text)]);
    const refusal = await readPayload('-', { cwd, stdin }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ exitCode: 2 });
    expect(String(refusal)).toContain('stdin does not hold JSON');
    expect(String(refusal)).not.toContain('\u001b');
  });

  it.each(['/dev/zero', '-'])('refuses %s that never ends: 2', async (name) => {
    const stdin = createReadStream('/dev/zero');
    await expect(readPayload(name, { cwd, stdin })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('holds more than 64 MB'),
    });
    stdin.destroy();
  });

  it('is given up with its signal, whatever stdin still has to say', async () => {
    const abort = new AbortController();
    const reading = readPayload('-', { cwd, stdin: new PassThrough(), signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('--header', () => {
  it('gathers, the last of a name wins', () => {
    const one = withHeader('X-A: 1');
    expect(withHeader('x-b:2', withHeader('x-a:  3 ', one))).toEqual({ 'x-a': '3', 'x-b': '2' });
  });

  it.each(['', 'x', ': x', 'x y: z', 'x: a\r\nauthorization: b', 'x: \u0000', 'x: ☃'])(
    'refuses %j',
    (text) => expect(() => withHeader(text)).toThrow('--header must be'),
  );
});

describe('--query', () => {
  it('gathers, with everything behind the first =', () => {
    expect(withParameter('b=', withParameter('a=b=c'))).toEqual({ a: 'b=c', b: '' });
  });

  it.each(['', 'a', '=b'])('refuses %j', (text) => {
    expect(() => withParameter(text)).toThrow('--query must be name=value');
  });
});
