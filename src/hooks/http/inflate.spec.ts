import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { inflate, packingOf } from './inflate.ts';
import type { Packing } from './inflate.ts';

const TEXT = Buffer.from('{"a":"ä"}'.repeat(10_000));
const all = (): void => undefined;

it.each<[string | undefined, Packing | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['Identity, ', undefined],
  ['gzip', 'gzip'],
  ['X-GZIP, identity', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
])('Content-Encoding: %s is %s', (header, packing) => {
  expect(packingOf({ 'content-encoding': header }, false)).toBe(packing);
});

it.each([
  ['zstd', false],
  ['gzip, gzip', false],
  ['constructor', false],
  ['aws-chunked', false],
  ['br', true],
])('%s is refused (of a stranger: %s)', (header, forStranger) => {
  expect(() => packingOf({ 'content-encoding': header }, forStranger)).toThrow(
    expect.objectContaining({ code: 'unsupported_media_type' }),
  );
});

it.each<[string, Packing, Buffer]>([
  ['deflate without the bytes of zlib', 'deflate', deflateRawSync(TEXT)],
  ['deflate', 'deflate', deflateSync(TEXT)],
  [
    'gzip in two members',
    'gzip',
    Buffer.concat([gzipSync(TEXT.subarray(0, 9)), gzipSync(TEXT.subarray(9))]),
  ],
])('%s', async (_, packing, bytes) => {
  expect((await inflate(bytes, packing, all)).equals(TEXT)).toBe(true);
});

it('no bytes are no bytes', async () => {
  expect(await inflate(Buffer.alloc(0), 'gzip', all)).toHaveLength(0);
});

it('ends where it is told to, after a chunk', async () => {
  const sizes: number[] = [];
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const inflating = inflate(bomb, 'gzip', (size) => {
    sizes.push(size);
    if (size > 20_000) throw new Error('enough');
  });
  await expect(inflating).rejects.toMatchObject({ code: 'invalid_body' });
  expect(sizes).toEqual([16_384, 32_768]);
});
