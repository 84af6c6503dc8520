import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import * as fc from 'fast-check';
import {
  NO_MARKS,
  WHATSAPP_MARKS,
  boldHeadings,
  hardBreaks,
  plainMarkup,
  withoutCommands,
  withoutMentions,
  withoutReferences,
} from './markdown.ts';

describe('plainMarkup', () => {
  it.each([
    ['# A **big** title #', '*A big title*', 'A big title'],
    ['# Title\r', '*Title*', 'Title'],
    ['**bold** and __bold__', '*bold* and *bold*', 'bold and bold'],
    ['*it* and _it_', '_it_ and _it_', 'it and it'],
    ['***both***', '*_both_*', 'both'],
    ['~~gone~~', '~gone~', 'gone'],
    ['`a * b * c`', '`a * b * c`', 'a * b * c'],
    ['* one\n  + two\n- three', '- one\n  - two\n- three', '- one\n  - two\n- three'],
    ['[here](https://a.b/c)', 'here (https://a.b/c)', 'here (https://a.b/c)'],
    ['![chart](https://a.b/c.png "x")', 'chart (https://a.b/c.png)', 'chart (https://a.b/c.png)'],
    ['<https://a.b>', 'https://a.b', 'https://a.b'],
    ['[https://a.b](https://a.b)', 'https://a.b', 'https://a.b'],
    [
      '2 * 3 * 4 and snake_case_name',
      '2 * 3 * 4 and snake_case_name',
      '2 * 3 * 4 and snake_case_name',
    ],
    ['\\*not bold\\*', '*not bold*', '*not bold*'],
    ['> quoted\n\n1. first', '> quoted\n\n1. first', '> quoted\n\n1. first'],
    ['```ts\na *b* c\n```', '```\na *b* c\n```', 'a *b* c'],
    [
      '1. a\n   - b\n\n       ```py\n       def __init__(*a, **k)\n       ```\n__c__',
      '1. a\n   - b\n\n```\n       def __init__(*a, **k)\n```\n*c*',
      '1. a\n   - b\n\n       def __init__(*a, **k)\nc',
    ],
    [
      '```\n    ```\n__x__\n    ```\n```',
      '```\n    ```\n__x__\n    ```\n```',
      '    ```\n__x__\n    ```',
    ],
    ['> ~~~\n> __x__\n> ~~~', '```\n> __x__\n```', '> __x__'],
    ['```\nnever closed', '```\nnever closed\n```', 'never closed'],
  ])('%j', (markdown, whatsapp, plain) => {
    expect(plainMarkup(markdown, WHATSAPP_MARKS)).toBe(whatsapp);
    expect(plainMarkup(markdown, NO_MARKS)).toBe(plain);
  });

  it('loses no word', () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const sign = fc.constantFrom(
      '*',
      '**',
      '_',
      '__',
      '~~',
      '`',
      '[',
      '](',
      ')',
      '#',
      '\n',
      ' ',
      '- ',
      '\\',
    );
    const texts = fc
      .array(fc.oneof(word, sign), { maxLength: 60 })
      .map((all) => all.join(''))
      .filter((text) => !/^ {0,3}(?:```|~~~)/m.test(text));
    const words = (text: string): string => text.replaceAll(/[^a-z0-9]/g, '');
    expect(() =>
      fc.assert(
        fc.property(texts, fc.constantFrom(WHATSAPP_MARKS, NO_MARKS), (text, marks) => {
          expect(words(plainMarkup(text, marks))).toBe(words(text));
        }),
        { numRuns: 2000 },
      ),
    ).not.toThrow();
  });

  it.each([
    '`',
    '**a ',
    '[',
    '](a "',
    '<https://',
    '~~a ',
    '_a',
    '*a',
    '# ',
    '[](',
    '****',
    '~~~~',
    '`a',
  ])('takes a hundred thousand of %j in linear time', (piece) => {
    const reading = (size: number) => plainMarkup(piece.repeat(size), WHATSAPP_MARKS);
    expect(growth(reading, 100_000)).toBeLessThan(QUADRATIC);
  });

  it.each([
    ['# a', 'b'],
    ['# ', '\r'],
    ['- ', '\r'],
    ['[](a', 'x'],
  ])('takes a hundred thousand blanks behind %j in linear time', (before, behind) => {
    const reading = (size: number) => plainMarkup(before + ' '.repeat(size) + behind, NO_MARKS);
    expect(growth(reading, 100_000)).toBeLessThan(QUADRATIC);
  });
});

describe('boldHeadings', () => {
  it.each([
    ['## A title ##', '**A title**'],
    ['# A **big** [title](https://a.b)', '**A big [title](https://a.b)**'],
    ['### `__init__`', '**`__init__`**'],
    ['# ', ''],
    ['#5 is no heading', '#5 is no heading'],
    ['```\n# a comment\n```', '```\n# a comment\n```'],
  ])('%j', (markdown, bold) => {
    expect(boldHeadings(markdown)).toBe(bold);
  });
});

describe('hardBreaks', () => {
  it.each([
    ['Deploy finished\nHost: web-1\nUser: ada', 'Deploy finished  \nHost: web-1  \nUser: ada'],
    ['a   \nb\r\nc', 'a  \nb  \nc'],
    ['- a\n  b\n- c', '- a  \n  b\n- c'],
    ['> a\n> b\n>\n> c', '> a  \n> b\n>\n> c'],
  ])('%j', (markdown, broken) => {
    expect(hardBreaks(markdown)).toBe(broken);
  });

  it.each([
    'a\n\nb',
    '# a\nb',
    'a\n# b',
    'a\n---\nb',
    'a\n- b\n1. c\n* d',
    'a\n> b',
    'a\n```\nb\nc\n```\nd',
    'x\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    'a\\\nb',
  ])('leaves %j as it is', (markdown) => {
    expect(hardBreaks(markdown)).toBe(markdown);
  });
});

describe('boldHeadings and hardBreaks', () => {
  it.each([
    '# ',
    '# #',
    '#',
    '>',
    '> ',
    '- ',
    '-',
    '=',
    ' ',
    'a\n',
    '>a\n',
    '**',
    '`',
    '|\n',
    '1.',
  ])('take a hundred thousand of %j in linear time', (piece) => {
    const reading = (size: number) => hardBreaks(boldHeadings(`a\n${piece.repeat(size)}\nx`));
    expect(growth(reading, 100_000)).toBeLessThan(QUADRATIC);
  });
});

const HIDDEN = '\u200b';

describe('withoutMentions', () => {
  it.each([
    '@everyone',
    '@here',
    '@channel',
    '@all',
    '＠all',
    '(@ada',
    '_@all_',
    'a-@all',
    '.@all',
    '**@ada**',
    '@7',
    '@Ädä',
  ])('%s notifies nobody, and looks the same', (text) => {
    const plain = withoutMentions(text);
    expect(plain).not.toBe(text);
    expect(plain.replaceAll(HIDDEN, '')).toBe(text);
    expect(plain).not.toMatch(/[@＠][\p{L}\p{N}]/u);
  });

  it.each([
    '<!channel>',
    '<!here|here>',
    '<@U123>',
    '<#C123>',
    '<@&41771983423143937>',
    '<at>A</at>',
  ])('%s is no name any more', (text) => {
    expect(withoutMentions(text)).not.toMatch(/<(?:[!@#]|\/?at\b)/);
  });

  it.each(['&#64;all', '&#x40;all', '&commat;all'])('%s, written out, is no name', (text) => {
    expect(withoutMentions(text)).toBe(text.replace(';', `;${HIDDEN}`));
  });

  it.each(['ada@example.com', 'a < b', '5 @ 3', 'user.name+tag@host', '<b>', '<attr>'])(
    '%s stays as it is',
    (text) => {
      expect(withoutMentions(text)).toBe(text);
    },
  );
});

describe('withoutReferences and withoutCommands', () => {
  const quiet = (text: string): string => withoutCommands(withoutReferences(text));

  it.each([
    'fixes #12',
    'Closes acme/shop#12',
    'resolves: acme/shop!3',
    'GH-12',
    '!7 &4 %3 ~bug $9',
    'See acme/shop@0123abc',
    '\\#12',
    '&#35;12 &#x23;12 &num;12 &amp;4',
  ])('%s names nothing', (text) => {
    expect(quiet(text)).not.toMatch(/(?<!&)[#!%~$@;](?=[\da-z])|(?<!&)#&|(?<=^| )&\d|GH-\d/i);
    expect(quiet(text).replaceAll('\u200b', '')).toBe(text);
  });

  it('takes a number that is written out for one, too', () => {
    expect(quiet('#&#49;2')).toBe('#\u200b&#49;2');
  });

  it.each([
    '/close',
    'Done.\n/close',
    'Done.\r/close',
    'Done.\n\r\r/close\r\n',
    '  /label ~bug',
    '> /close',
    '- [ ] /close',
    '\u200b/close',
    '```\n/close\n```',
    '/CLOSE',
    '//close',
  ])('%j commands nothing', (text) => {
    // As GitLab looks for them: lib/gitlab/quick_actions/extractor.rb.
    expect(quiet(text).replaceAll('\r', '')).not.toMatch(/^\s*\/\w/m);
    expect(quiet(text).replaceAll('\u200b', '')).toBe(
      text.replaceAll('\r', '').replaceAll('\u200b', ''),
    );
  });

  it.each(['a/b and https://a.example/x#y', 'C# and F#', 'and/or', 'a & b', '50%', '~', '# Title'])(
    '%s stays as it is',
    (text) => expect(quiet(text)).toBe(text),
  );

  it.each(['\u2028', '\r', '> ', '#', 'a/b#', 'a/', '&#35;', '-'.repeat(50), '!1'])(
    'reads %j again and again in linear time',
    (piece) => {
      const reading = (size: number): string => quiet(piece.repeat(size / piece.length));
      expect(growth(reading, 400_000)).toBeLessThan(QUADRATIC);
    },
  );
});
