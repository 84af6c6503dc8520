import { randomUUID } from 'node:crypto';
import { makeChannel } from '../../src/adapters/channels/providers.ts';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import { FastClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { imessage } from '../support/platforms/imessage.ts';
import { PlatformServer, say } from '../support/platforms/index.ts';
import type { PlatformSpeech } from '../support/platforms/index.ts';
import { jira } from '../support/platforms/jira.ts';
import { linear } from '../support/platforms/linear.ts';
import { mattermost } from '../support/platforms/mattermost.ts';
import { msteams } from '../support/platforms/msteams.ts';
import { signalRest } from '../support/platforms/signal.ts';
import { slack } from '../support/platforms/slack.ts';
import { telegram } from '../support/platforms/telegram.ts';
import { whatsapp } from '../support/platforms/whatsapp.ts';
import { RecordingChannel } from '../support/recording.ts';
import { SOURCES, commentOf, sampleOf } from '../support/sources.ts';
import type { Json, SourceName } from '../support/sources.ts';

type Mapping = NonNullable<HooksModuleOptions['mappings']>[number];

/** Our message as the platform was sent it; null: what a person writes is told of. */
type Own = { readonly text: string; readonly body: unknown } | null;

interface Told {
  readonly speech: PlatformSpeech;
  /** What a mapping of the operator's says; absent: there is a preset. */
  readonly mapping?: Partial<Mapping>;
  /** What it tells of a message. @param n numbers them */
  readonly tell: (own: Own, n: number) => { body: unknown; headers?: Record<string, string> };
}

const QUESTION = 'Is the parcel on its way?';

const comments = (name: SourceName): Told => ({
  speech: SOURCES[name].speech,
  tell: (own) => commentOf(name, own === null ? QUESTION : say(own.body, 'body'), { by: 'ada' }),
});

const sample = (name: string, event: string, part: string, change: (body: Json) => Json) => {
  const { body, headers } = sampleOf(name, event);
  const whole = JSON.parse(body) as Json;
  const changed = { ...whole, [part]: { ...(whole[part] as Json), ...change(whole) } };
  return { body: changed, headers };
};

const PLATFORMS: Readonly<Record<string, Told>> = {
  github: comments('github'),
  gitea: comments('gitea'),
  gitlab: comments('gitlab'),
  // https://docs.slack.dev/reference/events/message/bot_message: a bot's messages have a bot_id.
  slack: {
    speech: slack,
    tell: (own, n) => {
      const by = own === null ? {} : { user: 'U0LAN0Z89', bot_id: 'B0LAN0Z89', text: own.text };
      const { body, headers } = sample('slack', 'message.im', 'event', () => by);
      return { body: { ...body, event_id: `Ev${n}` }, headers };
    },
  },
  // https://core.telegram.org/bots/api#user
  telegram: {
    speech: telegram,
    tell: (own, n) => {
      const from = { id: 123_456, is_bot: true, first_name: 'Gateway' };
      const by = own === null ? {} : { from, text: own.text };
      const { body, headers } = sample('telegram', 'message', 'message', () => by);
      return { body: { ...body, update_id: n }, headers };
    },
  },
  linear: {
    speech: linear,
    tell: (own, n) => {
      const id = own === null ? randomUUID() : say(own.body, 'variables', 'input', 'id');
      const told = sample('linear', 'Comment.create', 'data', () => ({ id }));
      return { ...told, headers: { ...told.headers, 'linear-delivery': `d-${n}` } };
    },
  },
  jira: {
    speech: jira,
    tell: (own, n) => {
      const told = sample('jira', 'comment_created', 'comment', (whole) => {
        const author = (whole['comment'] as Json)['author'] as Json;
        const accountId = own === null ? 'ada' : '712020:agent';
        return { id: String(n), author: { ...author, accountId } };
      });
      const name = 'x-atlassian-webhook-identifier';
      return { ...told, headers: { ...told.headers, [name]: `d-${n}` } };
    },
  },
  // https://developers.mattermost.com/integrate/webhooks/outgoing/
  mattermost: {
    speech: mattermost,
    mapping: {
      messageTemplate: '{{ user_name }}: {{ text }}',
      replyTo: { provider: 'mattermost', to: '{{ channel_id }}', text: '{{ user_id }}' },
    },
    tell: (own, n) => ({
      body: {
        channel_id: mattermost.to,
        channel_name: 'town-square',
        user_id: own === null ? 'rnina9994bde8mua79zqcg5hmo' : 'b7mtbxsw4iy9bg4r3mz7nq1zyo',
        user_name: own === null ? 'ada' : 'gateway',
        post_id: `post-${n}`,
        text: own?.text ?? QUESTION,
        trigger_word: '',
      },
    }),
  },
  // The activity that an outgoing webhook posts; ids of bots begin with 28.
  msteams: {
    speech: msteams,
    mapping: {
      messageTemplate: '{{ from.name }}: {{ text }}',
      replyTo: { provider: 'msteams', to: '{{ conversation.id }}', text: '{{ from.id }}' },
    },
    tell: (own, n) => ({
      body: {
        type: 'message',
        id: String(n),
        from: { id: own === null ? '29:1a2b3c' : '28:app-1', name: 'somebody' },
        conversation: { id: msteams.to },
        text: own?.text ?? QUESTION,
      },
    }),
  },
  // https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc: a message that another device sent is a syncMessage.
  signal: {
    speech: signalRest,
    mapping: {
      messageTemplate:
        '{{ params.envelope.dataMessage.message || params.envelope.syncMessage.sentMessage.message }}',
      replyTo: {
        provider: 'signal',
        to: '{{ params.envelope.sourceNumber }}',
        text: '{{ params.envelope.sourceNumber }}',
      },
    },
    tell: (own, n) => {
      const account = say(signalRest.settings(''), 'account');
      const sourceNumber = own === null ? '+491701234567' : account;
      const said =
        own === null
          ? { dataMessage: { timestamp: n, message: QUESTION } }
          : { syncMessage: { sentMessage: { timestamp: n, message: own.text } } };
      const envelope = { sourceNumber, timestamp: n, ...said };
      return { body: { jsonrpc: '2.0', method: 'receive', params: { envelope, account } } };
    },
  },
  // https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components: of what we sent there are statuses.
  whatsapp: {
    speech: whatsapp,
    mapping: {
      messageTemplate: '{{ entry[0].changes[0].value.messages[0].text.body }}',
      when: { 'payload.entry[0].changes[0].value.messages': { exists: true } },
      replyTo: { provider: 'whatsapp', to: '+{{ entry[0].changes[0].value.messages[0].from }}' },
    },
    tell: (own, n) => {
      const to = '491701234567';
      const text = { body: QUESTION };
      const value =
        own === null
          ? { messages: [{ from: to, id: `wamid.${n}`, type: 'text', text }] }
          : { statuses: [{ id: `wamid.${n}`, status: 'delivered', recipient_id: to }] };
      const changes = [{ field: 'messages', value }];
      return { body: { object: 'whatsapp_business_account', entry: [{ id: '1', changes }] } };
    },
  },
  // https://docs.bluebubbles.app/server/developer-guides/rest-api-and-webhooks: the messages of both sides are told of.
  imessage: {
    speech: imessage,
    mapping: {
      messageTemplate: '{{ data.text }}',
      when: { 'payload.type': 'new-message', 'payload.data.isFromMe': false },
      replyTo: { provider: 'imessage', to: '{{ data.chats[0].guid }}' },
    },
    tell: (own, n) => {
      const chats = [{ guid: 'any;-;+491701234567' }];
      const said = { text: own?.text ?? QUESTION, isFromMe: own !== null };
      return { body: { type: 'new-message', data: { guid: `g-${n}`, chats, ...said } } };
    },
  },
};

describe('a message of ours that the platform tells of (docs/rules.md)', () => {
  let server: PlatformServer;
  let hooks: Hooks;
  afterEach(async () => {
    await hooks.close();
    await server.close();
  });

  it.each(Object.entries(PLATFORMS))('begins nothing: %s', async (id, told) => {
    const { speech, mapping, tell } = told;
    server = await PlatformServer.start(speech);
    const own: Mapping = { id, reply: 'source', approve: false, ...mapping };
    hooks = await Hooks.start({
      presets: mapping === undefined ? [id] : [],
      mappings: [own],
      agents: { defaults: { heartbeat: { every: '0m' } } },
      channels: {
        chan_1: { provider: new RecordingChannel('chan_1', []), to: '+1' },
        chan_5: { provider: makeChannel(speech.provider, speech.settings(server.origin)) },
      },
      clock: new FastClock(),
    });
    const runs = () => hooks.runner.turns.filter(({ kind }) => kind === 'run').length;
    let n = 0;
    const send = async (message: Own) => {
      const { body, headers } = tell(message, (n += 1));
      const answer = await hooks.ask(`/${id}`, body, headers);
      await hooks.ended(answer['eventId']);
      return answer;
    };
    expect(await send(null)).not.toHaveProperty('skipped');
    await eventually('it is shown', () => server.shown.length === 1);
    const sent = server.requests.findLast((request) => speech.message(request) !== undefined);
    const message = { text: server.shown[0]!.text, body: sent?.body };
    expect(await send(message)).toMatchObject({ status: 200, skipped: true });
    expect([runs(), server.shown.length]).toEqual([1, 1]);
    expect(await send(null)).not.toHaveProperty('skipped');
    expect(runs()).toBe(2);
  });
});
