import { DELIVERY_RETRY } from '../../src/hooks/work/retry.ts';
import { discord, invalidForm, mistakes } from '../support/platforms/discord.ts';
import type { PlatformSpeech } from '../support/platforms/index.ts';
import { mattermost } from '../support/platforms/mattermost.ts';
import { msteams } from '../support/platforms/msteams.ts';
import { slack } from '../support/platforms/slack.ts';
import { ChannelUnderTest } from './channels.contract.ts';

let under: ChannelUnderTest | undefined;
const open = async (speech: PlatformSpeech) => (under = await ChannelUnderTest.open(speech));
afterEach(async () => {
  await under?.[Symbol.asyncDispose]();
  under = undefined;
});

describe('a thread', () => {
  it('slack: its first message’s ts behind the channel id', async () => {
    const to = 'C0123456789/1712345678.123456';
    const { server } = await open(slack);
    await under?.send({ to });
    expect(server.requests[0]?.body).toMatchObject({
      channel: 'C0123456789',
      thread_ts: '1712345678.123456',
    });
  });

  it('slack: a message that goes once more as plain text stays in it', async () => {
    const { server } = await open(slack);
    server.next({ body: { ok: false, error: 'invalid_blocks' } });
    const to = 'C0123456789/1712345678.123456';
    await under?.send({ to, text: 'a' });
    expect(server.shown).toEqual([{ to, text: 'a' }]);
  });

  it('mattermost: its first post’s id behind the channel id', async () => {
    const root_id = '8gwq3nsjofdz8qbdkmh8pw5fra';
    const { server } = await open(mattermost);
    await under?.send({ to: `${mattermost.to}/${root_id}` });
    await under?.send({ idempotencyKey: 'delivery-2' });
    expect(server.requests[1]?.body).toMatchObject({ channel_id: mattermost.to, root_id });
    expect(server.requests[2]?.body).not.toHaveProperty('root_id');
  });

  it('mattermost: where its first post was deleted the message can go to the channel', async () => {
    const { server } = await open(mattermost);
    const [, gone, kind] = mattermost.refusals.find(([what]) => what === 'a thread that is none')!;
    server.next({ body: { id: 'bot' } }, gone);
    const to = `${mattermost.to}/8gwq3nsjofdz8qbdkmh8pw5fra`;
    await expect(under?.send({ to })).rejects.toMatchObject({ kind, instead: mattermost.to });
    server.next(gone);
    await expect(under?.send()).rejects.toMatchObject({ kind, instead: undefined });
  });

  // Conversation.ToThreadedConversationId in microsoft/teams.net: an id that the service routes by, no field
  it('msteams: a conversation id of its own', async () => {
    const { server, channel } = await open(msteams);
    const to = '19:abc_DEF@thread.tacv2;messageid=1712345678123';
    expect(channel.expectedInsteadOf(to)).toBeNull();
    await under?.send({ to });
    expect(server.shown).toMatchObject([{ to }]);
  });
});

describe('msteams: what text messages do not know', () => {
  // learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages, "Text-only messages";
  // MicrosoftDocs/msteams-docs#740: one line break is ignored, two are one
  it('becomes what they do: headings bold, tables code, line breaks hard', async () => {
    const { channel } = await open(msteams);
    const report =
      '# Report\nHost: web-1\nUser: ada\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- one\n- two';
    expect(channel.parts(report)).toEqual([
      '**Report**  \nHost: web-1  \nUser: ada\n\n```\na  b\n-  -\n1  2\n```\n\n- one\n- two',
    ]);
  });

  it('but no line of code', async () => {
    const { channel } = await open(msteams);
    const code = '```\n# one\ntwo\n| a | b |\n| - | - |\n```';
    expect(channel.parts(code)).toEqual([code]);
  });
});

describe('discord: a form with a mistake in it', () => {
  it.each([
    [
      { content: mistakes('Must be 2000 or fewer in length.') },
      ': content: Must be 2000 or fewer in length.',
    ],
    [
      { allowed_mentions: { parse: { 0: mistakes('Unknown') } } },
      ': allowed_mentions.parse.0: Unknown',
    ],
    [mistakes('Cannot be empty'), ': Cannot be empty'],
    [undefined, ''],
    ['odd', ''],
  ])('%j is told with its field', async (errors, told) => {
    const { server } = await open(discord);
    server.next(invalidForm(errors));
    const message = `Discord refused the message: Invalid Form Body${told}`;
    await expect(under?.send()).rejects.toMatchObject({
      kind: 'permanent',
      code: '50035',
      message,
    });
  });
});

describe('slack: a text whose formatting it refuses', () => {
  // https://docs.slack.dev/reference/methods/chat.postMessage#errors
  it.each([
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_blocks_too_long',
    'msg_too_long',
    'invalid_attachments',
    'too_many_attachments',
    'markdown_text_conflict',
    'no_text',
  ])('%s: the same part goes once more, as plain text', async (error) => {
    const { server } = await open(slack);
    server.next({ body: { ok: false, error } });
    await under?.send({ text: '| a <b> & c |' });
    expect(server.shown).toEqual([{ to: slack.to, text: '| a &lt;b&gt; &amp; c |' }]);
    expect(server.requests[1]?.body).toEqual({
      channel: slack.to,
      text: '| a &lt;b&gt; &amp; c |',
      mrkdwn: 'false',
      unfurl_links: 'false',
      unfurl_media: 'false',
    });
  });

  // node-slack-sdk, WebClient: `needed` of missing_scope, `response_metadata.messages` of invalid arguments
  it.each([
    [
      'missing_scope',
      { needed: 'chat:write', provided: 'identify' },
      'missing scope: needs chat:write',
    ],
    [
      'invalid_arguments',
      { response_metadata: { messages: ['[ERROR] invalid field: thread_ts'] } },
      'invalid arguments: [ERROR] invalid field: thread_ts',
    ],
  ])('%s is told with what Slack says besides', async (error, besides, told) => {
    const { server } = await open(slack);
    server.next({ body: { ok: false, error, ...besides } });
    await expect(under?.send()).rejects.toMatchObject({ message: expect.stringContaining(told) });
  });

  it('what is refused as plain text, too, is refused for good', async () => {
    const { server } = await open(slack);
    const refused = { body: { ok: false, error: 'msg_too_long' } };
    server.next(refused, refused);
    await expect(under?.send()).rejects.toMatchObject({ kind: 'permanent', code: 'msg_too_long' });
    expect(server.requests).toHaveLength(2);
  });

  it('an answer that is lost then leaves unknown whether it arrived', async () => {
    const { server } = await open(slack);
    server.next({ body: { ok: false, error: 'invalid_blocks' } }, { cut: 'at-once' });
    await expect(under?.send()).rejects.toMatchObject({ kind: 'unknown' });
  });
});

describe('mattermost: a message whose answer is lost', () => {
  // pendingPostIDsCacheTTL, which begins again when the post is saved: server/channels/app/post.go, deduplicateCreatePost
  const REMEMBERED_MS = 30_000;

  it('comes again while the server remembers its key', async () => {
    const { channel } = await open(mattermost);
    expect(channel.timeoutMs + 2 * DELIVERY_RETRY.firstMs).toBeLessThan(REMEMBERED_MS);
  });

  it('and while the first is still being saved, it is only asked again, and known to be ours', async () => {
    const { server, channel } = await open(mattermost);
    const id = 'api.post.deduplicate_create_post.pending';
    server.nextMessage({ status: 500, body: { id, message: id, status_code: 500 } });
    await expect(under?.send()).rejects.toMatchObject({ kind: 'retryable', code: id });
    expect(channel.isOwn('b7mtbxsw4iy9bg4r3mz7nq1zyo')).toBe(true);
  });
});
