import { buildPost } from './send.ts';
import type { SendOptions } from './send.ts';

const source = { cwd: import.meta.dirname, stdin: process.stdin };

async function post(hook: string, options: SendOptions = {}) {
  const { body, ...rest } = await buildPost(hook, options, '/hooks', source);
  return { ...rest, payload: JSON.parse(body.toString()) };
}

describe('the request of hooks send', () => {
  it('is made of the flags of a built-in hook', async () => {
    expect(await post('wake', { text: 'x', mode: 'now' })).toEqual({
      name: 'wake',
      headers: {},
      query: {},
      payload: { text: 'x', mode: 'now' },
    });
    const flags = { message: 'm', agent: 'a', session: 's', deliver: false, runTimeout: 0.5 };
    const payload = {
      message: 'm',
      agentId: 'a',
      sessionKey: 's',
      deliver: false,
      timeoutSeconds: 0.5,
    };
    expect(await post('agent', flags)).toMatchObject({ payload });
  });

  it.each(['github', '/github', '/hooks/github', '//github'])('names the hook %s', async (hook) => {
    expect(await post(hook)).toMatchObject({ name: 'github', payload: {} });
  });

  it('encodes what cannot stand in a URL, once', async () => {
    expect((await post('a/ü b%20c')).name).toBe('a/%C3%BC%20b%20c');
  });
});

describe('hooks send refuses', () => {
  it.each<[string, string, SendOptions, string]>([
    ['a flag of the other hook', 'wake', { message: 'x' }, '--message is no flag of hook "wake"'],
    ['flags of a mapped hook', 'ci', { wakeMode: 'now' }, '--wake-mode is no flag of hook "ci"'],
    ['a payload twice', 'wake', { text: 'x', payload: 'x.json' }, 'not from both'],
    ['a payload that is not there', 'ci', { payload: 'no-such.json' }, 'cannot be read (ENOENT)'],
    ['a payload that is no JSON', 'ci', { payload: 'send.ts' }, 'does not hold JSON'],
    ['a token as a header', 'ci', { header: { authorization: 'x' } }, 'set by the command itself'],
    ['a hook without a name', '/hooks/', {}, 'The name of the hook is missing'],
    ['a query in the name', 'ci?a=b', {}, 'no query in its name'],
    [
      'a key that no header can hold',
      'ci',
      { idempotencyKey: 'a\nb' },
      '--idempotency-key must be',
    ],
  ])('%s: 2', async (_what, hook, options, message) => {
    await expect(post(hook, options)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(message),
    });
  });
});
