import { maskSecrets } from './masking.ts';

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

  it.each([
    { 'payload.clientState': SECRET },
    { 'headers.x-api-key': { startsWith: SECRET } },
    { 'query.code': [SECRET, 'x'] },
    { 'headers["x-gateway-secret"]': { not: SECRET } },
    { and: [{ or: [{ 'payload.deep.token': { any: [SECRET] } }] }] },
  ])('of a condition: %j', (when) => {
    expect(shown({ mappings: [{ when }] })).not.toContain(SECRET);
  });

  it.each(['args', 'resumeArgs'])('of %s of a program', (name) => {
    expect(shown({ [name]: ['--token', SECRET] })).not.toContain(SECRET);
  });

  it.each([
    'https://mcp.host.test/s/aB3dE5gH7jK9mN1pQ3/mcp',
    'https://chat.host.test/hooks/0b8f0f3a-6a55-4b0e-9d39-2f7a4f8f2c11?x=1',
  ])('of an address that nobody could guess: %s', (url) => {
    expect(shown({ url })).toMatch(/host\.test\/\w+\/\*\*\*/);
    expect(shown({ url })).not.toMatch(/aB3dE5gH|0b8f0f3a/);
  });

  it('of a list of secrets', () => {
    expect(shown({ secrets: [SECRET, 'x'] })).toContain('{"secrets":["***","***"]}');
  });

  it('leaves what is no secret', () => {
    const args = ['--verbose', 'run', '--model=x', 'a=b', 'mail@host.test', 'http://host.test/a@b'];
    const when = { 'payload.state': 'open', and: [{ 'headers.x-event': ['push'] }] };
    const url = 'https://api.host.test/v1/chat/completions';
    const text = 'Open https://host.test/?id={{ id }} for me@host.test';
    expect(maskSecrets({ section: { args, text, url, when } }, {})).toEqual({
      section: { args, text, url, when },
    });
  });
});
