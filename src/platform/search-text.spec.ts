import { findTerms, fold, gramsOf, parseSearch, searchProblem } from './search-text.ts';

describe('texts as they are compared', () => {
  it.each([
    ['Größe', 'grosse'],
    ['ÅNGSTRÖM', 'angstrom'],
    ['İstanbul', 'istanbul'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['a\t\r\n\0 b', 'a b'],
    ['ＦＵＬＬ ﬁ ①', 'full fi 1'],
    ['z\u200bero \u202ewidth', 'zero width'],
    ['half \ud800 pair', 'half pair'],
  ])('%j is %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });
});

describe('what a search asks for', () => {
  it.each([
    ['disk  Full', ['disk', 'full']],
    ['"disk  Full" of', ['disk full', 'of']],
    ['say "never closed', ['say', 'never closed']],
    ['a"b c"d', ['a', 'b c', 'd']],
    ['same same', ['same']],
    ['"" " "', []],
  ])('%j is %j', (search, terms) => {
    expect(parseSearch(search)).toEqual(terms);
  });

  it('has one word that the index knows', () => {
    expect(searchProblem('abc')).toBeNull();
    expect(searchProblem('ab c')).toContain('at least 3');
    expect(gramsOf('🔥🚨🧯!')).toEqual(['🔥🚨🧯', '🚨🧯!']);
  });
});

describe('what is shown of a text', () => {
  it('is the words around the first term, in one line', () => {
    const text = `${'before '.repeat(20)}\n\nthe  DISK\n is full ${'after '.repeat(20)}`;
    expect(findTerms(text, ['the disk', 'after'])).toBe(
      '…before before before before before before before before the DISK is full after after after after after after after after…',
    );
  });

  it('is where it was found, whatever folding did to the text before it', () => {
    const odd = 'ﬃ\u200b\u0301 ß\n\n\tİ Ａ 🔥 ﷺ ';
    expect(findTerms(`${odd.repeat(40)}needle`, ['needle'])).toMatch(/needle$/u);
  });

  it('never ends in half a character', () => {
    const shown = findTerms(`x${'🔥'.repeat(60)}needle${'🔥'.repeat(60)}`, ['needle']);
    expect(shown?.isWellFormed()).toBe(true);
  });

  it('is nothing when a term is missing', () => {
    expect(findTerms('disk full', ['disk', 'empty'])).toBeNull();
  });
});
