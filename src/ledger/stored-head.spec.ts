import { decodeHead, decodeWordsAtStart, encodeDetails } from './stored-head.ts';

describe('the words of an action', () => {
  const WAKE = { kind: 'wake', text: 'the words', agentId: 'main' };
  const isLeftOut = (payload: string) => JSON.parse(encodeDetails(WAKE, payload)).text === null;

  it.each([
    '{"text":"the words"}',
    '{"text": "the words", "mode": "now"}',
    '{"mode":"now","text":"the words"}',
    '{"mode": "now", "urgent": true, "n": -1.5e+3, "none": null, "text": "the words"}',
    '{ "Text":"others","text":"the words"}',
  ])('are left out of the row where %s surely says them', (payload) => {
    expect(isLeftOut(payload)).toBe(true);
    expect(decodeWordsAtStart(payload)).toBe('the words');
  });

  it.each([
    '{"text":"other words"}',
    '{"text":"the words and more"}',
    '{"message":"others","text":"the words"}',
    '{"nested":{"text":"the words"}}',
    '{"list":["text",{"text":"the words"}]}',
    '{"quoted":"\\"text\\":\\"the words","a":1}',
    '{"\\u0074ext":"others","text":"the words"}',
    `{"long":"${'x'.repeat(200)}","text":"the words"}`,
    '["text:","the words"]',
    '"text":"the words"',
  ])('are kept in the row where %s may say something else', (payload) => {
    expect(isLeftOut(payload)).toBe(false);
  });

  it('are never those of another field', () => {
    expect(decodeWordsAtStart('{"text":"one","message":"two"}')).toBe('one');
    expect(decodeWordsAtStart('{"message":"two","text":"one"}')).toBe('two');
    expect(decodeWordsAtStart('{"a":{"text":"deep"},"text":"one"}')).toBeNull();
  });

  it('are read as far as they are there', () => {
    expect(decodeWordsAtStart('{"mode":"now","text":"cut of')).toBe('cut of');
    expect(decodeWordsAtStart('{"text":"cut \\u00E4 \\u00')).toBe('cut ä ');
    expect(decodeWordsAtStart('{"mode":"no')).toBeNull();
  });
});

it('does not quote what is stored where that is no JSON', () => {
  const told = new SyntaxError('what is stored of an event is no JSON');
  expect(() => decodeHead('Bearer hunter2')).toThrow(told);
});
