import { DELIVERY_RETRY } from '../../src/hooks/work/retry.ts';
import type { PlatformSpeech } from '../support/platforms/index.ts';
import { mattermost } from '../support/platforms/mattermost.ts';
import { ChannelUnderTest } from './channels.contract.ts';

let under: ChannelUnderTest | undefined;
const open = async (speech: PlatformSpeech) => (under = await ChannelUnderTest.open(speech));
afterEach(async () => {
  await under?.[Symbol.asyncDispose]();
  under = undefined;
});

describe('mattermost: a message whose answer is lost', () => {
  // pendingPostIDsCacheTTL, which begins again when the post is saved: server/channels/app/post.go, deduplicateCreatePost
  const REMEMBERED_MS = 30_000;

  it('comes again while the server remembers its key', async () => {
    const { channel } = await open(mattermost);
    expect(channel.timeoutMs + 2 * DELIVERY_RETRY.firstMs).toBeLessThan(REMEMBERED_MS);
  });

  it('and while the first is still being saved, it is only asked again', async () => {
    const { server } = await open(mattermost);
    const id = 'api.post.deduplicate_create_post.pending';
    server.next({ status: 500, body: { id, message: id, status_code: 500 } });
    await expect(under?.send()).rejects.toMatchObject({ kind: 'retryable', code: id });
  });
});
