import * as fc from 'fast-check';
import { SMALLEST_LIMIT, cut, splitText } from './split-text.ts';

const line = fc.oneof(
  fc.constantFrom('', '', '```', '```ts', '````', '~~~', '  ```', '- item', '# Heading'),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.lorem({ maxCount: 40 }),
  fc.nat(400).map((n) => 'x'.repeat(n)),
);
const markdown = fc.array(line, { maxLength: 60 }).map((lines) => lines.join('\n'));
const limits = fc.integer({ min: SMALLEST_LIMIT, max: 1000 });

function checking(law: (text: string, limit: number) => boolean): () => void {
  return () => fc.assert(fc.property(markdown, limits, law), { numRuns: 500 });
}

/** The fence that is open at the end, read with other means than the splitter's. */
function openFence(part: string): string {
  return part.split('\n').reduce((open, text) => {
    const marker = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[1] ?? '';
    if (open === '') return marker.length > 40 ? '' : marker;
    return marker.startsWith(open) && text.trim() === marker ? '' : open;
  }, '');
}

describe('splitText: laws', () => {
  it('bodies joined are the text', () => {
    const law = checking((text, limit) => {
      const bodies = cut(text, limit).map(({ body }) => body);
      return bodies.join('') === text && bodies.every((body) => body.length <= limit);
    });
    expect(law).not.toThrow();
  });

  it('no message is longer than the limit, and none shows nothing', () => {
    const law = checking((text, limit) =>
      splitText(text, limit).every((part) => part.length <= limit && part.trim() !== ''),
    );
    expect(law).not.toThrow();
  });

  it('cuts no character in two', () => {
    const law = checking((text, limit) =>
      splitText(text.toWellFormed(), limit).every((part) => part.isWellFormed()),
    );
    expect(law).not.toThrow();
  });

  it('leaves no block of code open but the one that the text leaves open itself', () => {
    const law = checking((text, limit) => {
      const parts = splitText(text, limit);
      return parts.length < 2 || parts.slice(0, -1).every((part) => openFence(part) === '');
    });
    expect(law).not.toThrow();
  });

  it('joined without numbers and repeated fences the messages are the text', () => {
    const law = checking((text, limit) => {
      const letters = (from: string): string => from.replaceAll(/[\s`~]/g, '');
      const plain = text.replaceAll(/[`~]/g, "'");
      const parts = splitText(plain, limit).map((part) => part.replace(/^\(\d+\/\d+\)\n\n/, ''));
      return letters(parts.join('')) === letters(plain);
    });
    expect(law).not.toThrow();
  });
});

describe('splitText', () => {
  it('leaves a text that fits as it is', () => {
    expect(splitText('x'.repeat(200), 200)).toEqual(['x'.repeat(200)]);
    expect(splitText(' \n', 200)).toEqual([]);
  });

  it('numbers its messages', () => {
    expect(splitText('word '.repeat(100), 300)).toEqual([
      expect.stringMatching(/^\(1\/\d\)\n\nword/),
      expect.stringMatching(/^\(2\/\d\)\n\nword/),
      expect.stringMatching(/^\(3\/\d\)\n\nword/),
    ]);
  });

  it.each([
    ['paragraphs', `${'Two words.\n'.repeat(10)}\n`.repeat(10), /\n\n$/],
    ['lines', 'Two words.\n'.repeat(100), /Two words\.\n$/],
    ['words', 'word '.repeat(200), /word $/],
  ])('cuts after %s where it can', (_, text, ending) => {
    const bodies = cut(text, 200).map(({ body }) => body);
    expect(bodies.every((body) => ending.test(body))).toBe(true);
  });

  it('closes a block of code and opens it again, its language included', () => {
    const text = `Look:\n\`\`\`ts\n${'const answer = 42;\n'.repeat(40)}\`\`\`\nDone.`;
    const parts = splitText(text, 400);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts.slice(1)) expect(part).toMatch(/^\(\d\/\d\)\n\n```ts\nconst/);
    for (const part of parts.slice(0, -1)) expect(part).toMatch(/;\n```$/);
    expect(parts.at(-1)).toMatch(/\n```\nDone\.$/);
  });

  it('sends no message that shows nothing', () => {
    const parts = splitText(`Hello${'\n'.repeat(900)}you`, 300);
    expect(parts.map((part) => part.replace(/^\(\d\/\d\)/, '').trim())).toEqual(['Hello', 'you']);
  });

  it.each([
    ['a family', '👨‍👩‍👧‍👦'],
    ['flags', '🇩🇪🇫🇷'],
    ['a skin tone', '👍🏽'],
    ['accents of their own', 'e\u0301\u0323'],
    ['Devanagari', 'क्षि'],
    ['a line break of two signs', 'x\r\n'],
  ])('a cut between letters leaves %s whole', (_name, letter) => {
    const letters = (text: string) =>
      Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
    for (const shift of ['', 'a', 'ab', 'abc']) {
      const text = shift + letter.repeat(300);
      const bodies = cut(text, 200).map(({ body }) => body);
      expect(bodies.join('')).toBe(text);
      expect(bodies.flatMap(letters)).toEqual(letters(text));
    }
  });

  it.each([1000, 199])('cuts a letter of %i accents before a name', (accents) => {
    const text = `a${'\u0301'.repeat(accents)}@all`;
    const bodies = cut(text, 200).map(({ body }) => body);
    expect(Math.max(...bodies.map(({ length }) => length))).toBeLessThanOrEqual(200);
    expect(bodies.join('')).toBe(text);
  });

  it('takes a million characters of anything in a moment', () => {
    for (const piece of ['`', '\n', '```\n', ' ', 'x', '**a ', '[', '](a "', '😀']) {
      expect(splitText(piece.repeat(200_000), 2000).length).toBeGreaterThanOrEqual(0);
    }
  });
});
