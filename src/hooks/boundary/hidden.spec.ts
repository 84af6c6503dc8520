import { neutralize } from './neutralize.ts';

describe('hidden characters are shown as U+FFFD (behaviour §9)', () => {
  it.each([
    ['a zero-width space', 'a\u200bb', 'a\ufffdb'],
    ['a joiner between Latin letters', 'pay\u200dpal', 'pay\ufffdpal'],
    ['a byte order mark', '\ufeffa', '\ufffda'],
    ['bidi overrides and isolates', 'a\u202eb\u2066c', 'a\ufffdb\ufffdc'],
    ['tag characters', 'hi\u{e0069}\u{e0067}\u{e006e}!', 'hi\ufffd!'],
    ['tags behind a flag that is none', '🏴\u{e0078}\u{e007f}', '🏴\ufffd'],
    ['bytes in variation selectors', '😀\u{e0158}\u{e0159}\ufe01x', '😀\ufffdx'],
    ['two selectors on one emoji', '❤\ufe0f\ufe0f', '❤\ufffd'],
    ['a selector on a letter or digit', 'a\ufe0f1\ufe0f2', 'a\ufffd1\ufffd2'],
    ['pictures joined to none that exists', '😀\u200d😁', '😀\ufffd😁'],
    ['two joiners in Persian', 'می\u200c\u200cخواهم', 'می\ufffdخواهم'],
    ['fillers', 'a\u3164b\u115fc', 'a\ufffdb\ufffdc'],
    ['soft hyphens', 'a\u00adb', 'a\ufffdb'],
    ['private use and lone surrogates', 'a\ue000b\ud800c', 'a\ufffdb\ufffdc'],
    ['line separators', 'a\u2028b', 'a\ufffdb'],
  ])('%s', (_, text, shown) => {
    expect(neutralize(text)).toBe(shown);
  });
});
