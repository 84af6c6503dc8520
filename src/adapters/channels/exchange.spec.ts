import { discord } from './discord.ts';
import { mattermost } from './mattermost.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';

const TOKEN = 'se\ncret';
const apiRoot = 'http://127.0.0.1:1';

/** Of what a host gave to a channel, unchecked. */
describe('exchange: settings that make no request', () => {
  it.each([
    ['mattermost', mattermost({ token: TOKEN, apiRoot })],
    [
      'mattermost, credentials in the address',
      mattermost({ token: 't', apiRoot: 'http://a:secret@127.0.0.1:1' }),
    ],
    ['discord', discord({ token: TOKEN, apiRoot })],
    ['slack', slack({ token: TOKEN, apiRoot })],
    ['telegram, no address', telegram({ token: 't', apiRoot: 'secret' })],
  ])('%s: nothing was sent, and no secret is told', async (_name, channel) => {
    const message = { to: '12345678901234567', text: 'x', idempotencyKey: 'k' };
    const sending = channel.send(message, new AbortController().signal);
    const error: unknown = await sending.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'auth', message: expect.stringContaining('sent nothing') });
    expect(String(error)).not.toContain('cret');
  });

  it.each([6000, 6667, 10080])('a port that fetch refuses, %i, is told as such', async (port) => {
    const apiRoot = `http://127.0.0.1:${port}`;
    const message = { to: 'qmd5oqtwoibz8cuzxzg5ekshgr', text: 'x', idempotencyKey: 'k' };
    const sending = mattermost({ token: 't', apiRoot }).send(message, new AbortController().signal);
    await expect(sending).rejects.toMatchObject({
      kind: 'auth',
      message: `Mattermost was sent nothing: no program may call port ${port}, use another one`,
    });
  });
});
