import { withoutMentions } from './mentions.ts';

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
