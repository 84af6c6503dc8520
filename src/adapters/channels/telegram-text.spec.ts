import * as fc from 'fast-check';
import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import { entityText, richHtml } from './telegram-text.ts';

const MANY = 10_000_000;
const SIGNS =
  'a|b|1| |\n|# |- |> |**|*|_|__|~~|`|```\n|[|](|)|<|&|>|$|@|\\|\u0001|\u0005|\r|é|東|👩‍👧'.split(
    '|',
  );
const texts = fc
  .array(fc.constantFrom(...SIGNS, '|', '|-|-|\n', '|a|b|\n|-|-|\n'), { maxLength: 60 })
  .map((all) => all.join(''));
const words = (text: string): string => text.replaceAll(/[^a-z0-9東]/g, '');

describe('entityText', () => {
  it('has entities of some length, inside of the text, and never through a character', () => {
    expect(() =>
      fc.assert(
        fc.property(texts, (markdown) => {
          const { text, entities } = entityText(markdown, MANY);
          expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
          for (const { offset, length } of entities) {
            expect(length).toBeGreaterThan(0);
            expect(text.slice(offset, offset + length)).toHaveLength(length);
            expect(text.slice(offset, offset + length).isWellFormed()).toBe(true);
          }
        }),
        { numRuns: 2000 },
      ),
    ).not.toThrow();
  });

  it('is never longer than it may be: columns are left out first', () => {
    const table = `| a long header | b |\n|---|---|\n${'|1|2|\n'.repeat(300)}`;
    expect(entityText(table, MANY).text).toContain('\n1              2\n');
    const { text } = entityText(table, 4096);
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text).toContain('\n|1|2|\n');
  });
});

describe('richHtml', () => {
  it('has no tag but its own, in pairs, and every word of the text', () => {
    const tags = /<(\/?)(p|pre|table|tr|t[hd]|h[1-6]|b|i|s|code)(?: [^<>]*)?>|<br>/g;
    expect(() =>
      fc.assert(
        fc.property(texts, (markdown) => {
          const html = richHtml(markdown);
          const open: string[] = [];
          const crossed: string[] = [];
          for (const [, closes, name = ''] of html.matchAll(tags)) {
            if (name === '') continue;
            if (closes === '') open.push(name);
            else if (open.pop() !== name) crossed.push(name);
          }
          expect([...open, ...crossed]).toEqual([]);
          const text = html.replaceAll(tags, '');
          expect(text).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|nbsp);)/);
          // What draws a table is left out of what both show, not of what both read: it may keep a fence from being one.
          const drawn = /[|-]/g;
          expect(words(text.replaceAll(/&\w+;/g, '').replaceAll(drawn, ' '))).toBe(
            words(entityText(markdown, MANY).text.replaceAll(drawn, ' ')),
          );
        }),
        { numRuns: 2000 },
      ),
    ).not.toThrow();
  });
});

describe('entityText and richHtml', () => {
  it.each(['**a', '**a** ', '`a` ', '```\n', '# a\n', '|a|\n', '<', '@`a`', '\u0001', '\r', 'a\n'])(
    'take twenty thousand of %j in linear time',
    (piece) => {
      const text = (size: number) => entityText(piece.repeat(size), MANY);
      const html = (size: number) => richHtml(piece.repeat(size));
      expect(growth(text, 20_000)).toBeLessThan(QUADRATIC);
      expect(growth(html, 20_000)).toBeLessThan(QUADRATIC);
    },
  );
});
