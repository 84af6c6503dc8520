import { assert, constantFrom, jsonValue, property } from 'fast-check';
import { asLine, asLines, asShortLine, safeJson } from './foreign-text.ts';

const ATTACKS = [
  ['OSC 52 (clipboard)', '\u001b]52;c;ZXZpbA==\u0007'],
  ['OSC 0 (title)', '\u001b]0;root\u001b\\'],
  ['OSC 8 (link)', '\u001b]8;;https://evil.example\u0007x\u001b]8;;\u0007'],
  ['cursor up and erase', '\u001b[2A\u001b[2K'],
  ['C1 CSI', '\u009b2J'],
  ['C1 OSC', '\u009d0;x\u009c'],
  ['DCS', '\u001bPq\u001b\\'],
  ['backspaces', 'safe\b\b\b\bevil'],
  ['a lone carriage return', 'good\u000bx\u0085y\u0000'],
  ['delete', 'a\u007fb'],
  ['bidi override', 'a\u202eb\u202c'],
  ['bidi isolate', '\u2066a\u2069\u200f\u061c'],
  ['line separators', 'a\u2028b\u2029c'],
  ['zero width and soft hyphen', 'a\u200b\ufeff\u00adb'],
  ['tag characters', '\u{e0041}\u{e007f}'],
  ['a lone surrogate', 'a\ud800b'],
] as const;

/** Built from code points, so that this file shows what they are. */
const DANGEROUS = new RegExp(
  String.raw`[\u{0}-\u{1f}\u{7f}-\u{9f}\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{e0000}-\u{e0fff}]`,
  'u',
);

describe('foreign text in a terminal', () => {
  it.each(ATTACKS)('writes out %s', (_name, text) => {
    expect(asLine(text)).not.toMatch(DANGEROUS);
    expect(asLines(text).join('')).not.toMatch(DANGEROUS);
    expect(safeJson({ [text]: text })).not.toMatch(DANGEROUS);
    expect(asLine(text)).toContain(String.raw`\u`);
  });

  it.each(['Grüße', '日本語', '👩‍💻 ❤️', 'می‌خواهم', 'שלום', 'a\\u001b'])(
    'leaves %s as it is',
    (text) => {
      expect(asLine(text)).toBe(text);
      expect(asLines(text)).toEqual([text]);
      expect(JSON.parse(safeJson(text))).toBe(text);
    },
  );

  it('keeps the lines of a text, and tabs as blanks', () => {
    expect(asLines('a\r\n\tb\n\nc\rd')).toEqual(['a', '    b', '', String.raw`c\u000dd`]);
    expect(asLine(' a\r\n\t b\n')).toBe('a b');
  });
});

describe('foreign text in JSON', () => {
  it('is the same value when parsed, and never raw', () => {
    assert(
      property(jsonValue({ stringUnit: 'binary' }), constantFrom(0, 2), (value, indent) => {
        const text = safeJson(value, indent);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text.replaceAll('\n', '')).not.toMatch(DANGEROUS);
      }),
    );
  });

  it('has one line without an indent', () => {
    expect(safeJson({ a: 'b\nc' })).toBe(String.raw`{"a":"b\nc"}`);
  });
});

describe('asShortLine', () => {
  it('ends in … where it is cut, between characters', () => {
    expect(asShortLine('👍👍👍', 2)).toBe('👍…');
    expect(asShortLine('👍👍', 2)).toBe('👍👍');
  });
});
