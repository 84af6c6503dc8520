import { maskSecrets } from './secrets.ts';

const SECRET = 'canary-7Xw2Lr9';

function shown(section: Record<string, unknown>): string {
  return JSON.stringify(maskSecrets({ section }, { section }));
}

describe('maskSecrets: no secret is shown', () => {
  it.each([
    `https://me:p@ss${SECRET}@host.test/path`,
    `https://${SECRET}@host.test`,
    `see https://me:x@${SECRET}@host.test for it`,
    `https://host.test/#access_token=${SECRET}`,
    `https://host.test/?a=b&key=${SECRET}`,
  ])('of an address: %s', (url) => {
    expect(shown({ url })).not.toContain(SECRET);
    expect(shown({ urls: [url] })).not.toContain(SECRET);
    expect(shown({ args: [url] })).not.toContain(SECRET);
  });

  it.each([
    [['-H', `Authorization: Bearer ${SECRET}`]],
    [['--header', `X-Any: ${SECRET}`]],
    [[`--header=X-Any: ${SECRET}`]],
    [['-e', `GITHUB_TOKEN=${SECRET}`]],
    [['-e', `SERVICE_API_KEY=${SECRET}`]],
    [[`--token=two\nlines-${SECRET}`]],
    [[`--url=https://me:${SECRET}@host.test`]],
    [[`--url=https://host.test/?key=${SECRET}`]],
  ])('of arguments: %j', (args) => {
    expect(shown({ args })).not.toContain(SECRET);
  });

  it('of a list of secrets', () => {
    expect(shown({ secrets: [SECRET, 'x'] })).toContain('{"secrets":["***","***"]}');
  });

  it('leaves what is no secret', () => {
    const args = ['--verbose', 'run', '--model=x', 'a=b', 'mail@host.test', 'http://host.test/a@b'];
    const text = 'Open https://host.test/?id={{ id }} for me@host.test';
    expect(maskSecrets({ section: { args, text } }, {})).toEqual({ section: { args, text } });
  });
});
