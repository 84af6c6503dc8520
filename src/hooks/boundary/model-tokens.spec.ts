import { neutralize } from './neutralize.ts';
import { TEMPLATE_FAMILIES } from './data/template-tokens.ts';

const TOKENS = TEMPLATE_FAMILIES.flatMap(({ family, tokens }) =>
  tokens.map((token) => [family, token] as const),
);

describe('chat-template tokens (behaviour §9)', () => {
  it.each(TOKENS)('%s: %j is removed, in any case, width and dress', (_, token) => {
    const halved = `${token.slice(0, 3)}\u200b\u0301${token.slice(3)}`;
    const wide = token.replace(/[!-~]/g, (one) => String.fromCodePoint(one.charCodeAt(0) + 0xfee0));
    const cased = token === '<s>' ? [] : [token.toUpperCase(), token.toLowerCase()];
    for (const dressed of [token, wide, halved, ...cased]) {
      const safe = neutralize(`Hello${dressed}world`);
      expect(safe).not.toContain(dressed);
      expect(safe).toMatch(/^Hello\s*\(model token .*removed\)world$/u);
    }
  });

  it.each(['<extra_id_1>', '<SPECIAL_12>', '<special_lO>', '<reserved_106>', '<reserved_107>'])(
    '%s has any number',
    (token) => {
      expect(neutralize(`a${token}b`)).toMatch(/^a\(model token .*removed\)b$/);
    },
  );

  it('and whatever else has their usual shape', () => {
    expect(neutralize('<|LOC_0|> <|完|> <|查看《日志》【紧急】|>')).toBe(
      '(model token loc_0 removed) (model token removed) (model token removed)',
    );
  });

  it.each(['\u2028', '\u2029', '\u0085', '\u200b', '\r'])(
    'with %j inside, which is shown as U+FFFD',
    (hidden) => {
      expect(neutralize(`<|${hidden}完|>`)).toBe('(model token removed)');
    },
  );

  it('the labels of text completions count at the beginning of a paragraph only', () => {
    const text = 'Human: a\n\nAssistant: b\r\n\r\nHuman: c\nHuman: d, the Human: e';
    expect(neutralize(text)).toBe(
      '(model token Human: removed) a\n\n(model token Assistant: removed) b\r\n\r\n' +
        '(model token Human: removed) c\nHuman: d, the Human: e',
    );
  });
});
