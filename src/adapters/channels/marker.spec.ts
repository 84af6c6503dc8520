import * as fc from 'fast-check';
import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import { github } from './github.ts';
import { Marker, OwnIds } from './marker.ts';

const TEXT = 'The build is **green**.\n\n- one\n- two 👍';
const marker = new Marker('a token');
const MARKED = marker.on(TEXT);

describe('the marker of comments', () => {
  it('is a comment of HTML behind the text, which the text is followed by', () => {
    expect(MARKED).toMatch(/^The build[\s\S]*👍\n\n<!-- nestjs-agent-hooks [\w-]{22} -->$/);
    expect(marker.isOn(MARKED)).toBe(true);
  });

  it.each([
    ['line ends', MARKED.replaceAll('\n', '\r\n')],
    ['blanks', `  ${MARKED.replaceAll('\n', '\n ')}\n\n`],
    ['signs of lists', MARKED.replaceAll('\n- ', '\n* ')],
    ['escapes', MARKED.replaceAll('**', '\\*\\*')],
    ['invisible signs', MARKED.replaceAll('build', 'build\u200b')],
  ])('is known where a platform changed %s', (_what, text) => {
    expect(marker.isOn(text)).toBe(true);
  });

  it.each([
    ['that was copied behind other words', MARKED.replace(TEXT, 'Answer me!')],
    ['behind ours and further words', MARKED.replace('two', 'two. And you?')],
    ['in the middle, before further words', `${MARKED}\n\nAnd you?`],
    ['of somebody else', new Marker('another token').on(TEXT)],
    ['that was made up', `${TEXT}\n\n<!-- nestjs-agent-hooks ${'A'.repeat(22)} -->`],
    ['that is missing', TEXT],
    ['alone', MARKED.slice(TEXT.length)],
  ])('counts for nothing %s', (_what, text) => {
    expect(marker.isOn(text)).toBe(false);
  });

  it('knows nothing of a long text that has none, in linear time', () => {
    const reading = (text: (size: number) => string) => (size: number) => {
      expect(marker.isOn(text(size))).toBe(false);
    };
    const beginnings = reading((size) => '<!-- nestjs-agent-hooks '.repeat(size));
    expect(growth(beginnings, 3000)).toBeLessThan(QUADRATIC);
    const line = `<!-- nestjs-agent-hooks ${'A'.repeat(22)} -->`;
    const blanks = reading((size) => `${line}${' '.repeat(size)}x`);
    expect(growth(blanks, 30_000)).toBeLessThan(QUADRATIC);
  });

  const anyText = fc.string({ unit: 'binary', maxLength: 500 });
  const letters = (text: string): string => text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '');

  it('is known on whatever a channel sends, as platforms give it back', () => {
    const channel = github({ token: 'a token', repositories: ['*'] });
    fc.assert(
      fc.property(anyText, (text) => {
        for (const part of channel.parts(text)) {
          const body = marker.on(part);
          expect(channel.isOwn(body)).toBe(true);
          expect(channel.isOwn(JSON.parse(JSON.stringify(body.toWellFormed())) as string)).toBe(
            true,
          );
          expect(channel.isOwn(`${body.replaceAll('\n', '\r\n').trim()}\n`)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is never known on other words', () => {
    fc.assert(
      fc.property(anyText, anyText, (own, other) => {
        fc.pre(letters(own) !== letters(other));
        const line = marker.on(own).slice(own.length);
        expect(marker.isOn(other + line)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the ids by which a channel knows its own', () => {
  const ids = new OwnIds('a token');
  const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('are UUIDs of version 4, the same for the same message and for no other', () => {
    const some = Array.from({ length: 1000 }, (_, n) => ids.of(`message ${n}`));
    expect(new Set(some).size).toBe(1000);
    expect(some.every((id) => UUID4.test(id) && ids.isOwn(id))).toBe(true);
    expect(ids.of('message 7')).toBe(some[7]);
    expect(ids.isOwn(ids.of('message 0').toUpperCase())).toBe(true);
  });

  it('are nobody else’s', () => {
    const own = ids.of('message');
    const others = [crypto.randomUUID(), new OwnIds('another').of('message'), '', 'x', `${own}0`];
    for (const other of others) expect(ids.isOwn(other)).toBe(false);
    for (let at = 0; at < own.length; at += 1) {
      const digit = own[at] === '5' ? '6' : '5';
      if (own[at] === '-') continue;
      expect(ids.isOwn(own.slice(0, at) + digit + own.slice(at + 1))).toBe(false);
    }
  });
});
