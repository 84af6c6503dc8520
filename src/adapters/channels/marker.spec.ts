import { Marker } from './marker.ts';

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
    const began = performance.now();
    expect(marker.isOn('<!-- nestjs-agent-hooks '.repeat(100_000))).toBe(false);
    expect(
      marker.isOn(`<!-- nestjs-agent-hooks ${'A'.repeat(22)} -->${' '.repeat(100_000)}x`),
    ).toBe(false);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
