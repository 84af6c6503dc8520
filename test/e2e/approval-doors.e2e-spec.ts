import { generateKeyPairSync, sign } from 'node:crypto';
import { discord, mattermost, slack, telegram } from '../../src/channels.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { Channel, EventDetails } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { RecordingChannel } from '../support/recording.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import type { Answer, RecordedRequest } from '../support/scripted-server.ts';
import { bySlack } from '../support/signed.ts';
import { BOT_TOKEN, TelegramBot } from '../support/telegram-bot.ts';

const SECRET = 'the-signing-secret-of-this-test';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PUBLIC_HEX = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString(
  'hex',
);

interface TapRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

describe('a tap that the platform tells by a request of its own (docs/channels.md)', () => {
  let hooks: Hooks;
  let clock: ManualClock;
  let customer: RecordingChannel;
  let server: ScriptedServer;

  afterEach(async () => {
    await hooks.close();
    await server.close();
  });

  async function start(
    channel: Channel,
    {
      to,
      approvers,
      ...mapping
    }: { to: string; approvers?: string[]; verify: object; body?: 'form' },
  ): Promise<EventDetails> {
    clock = new ManualClock();
    customer = new RecordingChannel('chan_1', []);
    const approve = { reply: true, ...(approvers !== undefined && { approvers }) };
    const notify = { channel: 'chan_2', to } as const;
    hooks = await Hooks.start({
      clock,
      agents: { defaults: { heartbeat: { every: '0m' }, approve, notify } },
      channels: { chan_1: { provider: customer }, chan_2: { provider: channel } },
      mappings: [{ id: 'taps', match: { path: 'taps' }, action: 'ignore', ...mapping } as never],
    });
    const body = { message: 'x', wakeMode: 'next-heartbeat', channel: 'chan_1', to: 'customer' };
    const { eventId } = await hooks.ask('/agent', body);
    return eventually('the run waits', async () => {
      const details = await hooks.details(eventId);
      return details.status === 'waiting' && details;
    });
  }
  async function send({ headers, body }: TapRequest): Promise<{ status: number; json: unknown }> {
    const answer = await fetch(`${hooks.url}/hooks/taps`, { method: 'POST', headers, body });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
  }
  const asked = (what: string, find: (request: RecordedRequest) => boolean) =>
    eventually(what, () => server.requests.find(find));
  const messages = () => customer.messages.map(({ text }) => text);
  const waits = async () => (await hooks.app.get(LedgerAdmin).waits({ limit: 200 })).waits;
  const stored = () => hooks.stored();

  describe('on Slack', () => {
    const CHANNEL = 'C0123456789';
    const verify = { scheme: 'slack', secrets: [SECRET] };

    async function question(
      to = CHANNEL,
      approvers: string[] | null = ['slack:U0ANA'],
    ): Promise<{ event: EventDetails; code: string }> {
      server = new ScriptedServer(({ body }) => {
        const { channel } = (body ?? {}) as { channel?: string };
        const at = channel?.startsWith('U') === true ? 'D0123456789' : channel;
        return json({ ok: true, channel: at, ts: '1712345678.000100', message: {} });
      });
      await server.listen();
      const channel = slack({ token: 'xoxb-token', apiRoot: `${server.origin}/api` });
      const given = { to, verify, body: 'form', ...(approvers && { approvers }) } as const;
      const event = await start(channel, given);
      const { body } = await asked('the question', ({ path }) => path.endsWith('chat.postMessage'));
      const { blocks, text } = body as { blocks: string; text: string };
      const all = (typeof blocks === 'string' ? JSON.parse(blocks) : blocks) as unknown[];
      expect(JSON.stringify(all)).toContain('the reply');
      const actions = all.at(-1) as {
        elements: { action_id: string; value: string; text: { text: string } }[];
      };
      expect(text).not.toContain('the reply');
      expect(actions.elements.map((one) => one.text.text)).toEqual(['Approve', 'Deny']);
      const [{ value: code } = { value: '' }] = actions.elements;
      expect(code).toMatch(/^[\w-]{22}$/);
      return { event, code };
    }
    /** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
    function tap(code: string, user = 'U0ANA', secret = SECRET, channel = CHANNEL): TapRequest {
      const payload = {
        type: 'block_actions',
        user: { id: user, username: 'ana', team_id: 'T1' },
        api_app_id: 'A1',
        container: { type: 'message', message_ts: '1712345678.000100', channel_id: channel },
        channel: { id: channel, name: 'ops' },
        message: { ts: '1712345678.000100' },
        response_url: 'https://hooks.slack.com/actions/T1/1/x',
        actions: [{ action_id: 'hooks_approve', type: 'button', value: code, action_ts: '1.0' }],
      };
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      return { headers: { ...type, ...bySlack(secret, body, clock.now()) }, body };
    }

    it('decides by the first one, is no event, and settles the message', async () => {
      const { event, code } = await question();
      expect(await send(tap(code))).toEqual({ status: 200, json: {} });
      await hooks.ended(event.id);
      expect(messages()).toEqual(['the reply']);
      const { body } = await asked('the message is settled', ({ path }) =>
        path.endsWith('chat.update'),
      );
      expect(body).toMatchObject({ channel: CHANNEL, ts: '1712345678.000100' });
      expect(JSON.stringify(body)).toContain('Approved by slack U0ANA');
      expect(JSON.stringify(body)).toContain('the reply');
      expect(JSON.stringify(body)).not.toContain('hooks_approve');
      expect(await stored()).toBe(1);
      expect(await send(tap(code))).toEqual({ status: 200, json: {} });
      await asked('who tapped again is told', ({ body: said }) =>
        JSON.stringify(said ?? '').includes('You have approved this.'),
      );
      expect(messages()).toEqual(['the reply']);
    });

    it('lets no stranger decide, nor whoever cannot sign', async () => {
      const { code } = await question();
      expect(await send(tap(code, 'U0BEN'))).toEqual({ status: 200, json: {} });
      const told = await asked('the stranger is told', ({ path }) =>
        path.endsWith('chat.postEphemeral'),
      );
      expect(told.body).toMatchObject({ user: 'U0BEN', text: 'You may not decide this.' });
      expect(await send(tap(code, 'U0ANA', 'another secret'))).toMatchObject({ status: 401 });
      expect(await waits()).toHaveLength(1);
      expect(messages()).toEqual([]);
    });

    it('lets the person decide who is asked directly', async () => {
      const { event, code } = await question('U0ANA45678', null);
      expect(await send(tap(code, 'U0BEN', SECRET, 'D0123456789'))).toMatchObject({ status: 200 });
      expect(await waits()).toHaveLength(1);
      await send(tap(code, 'U0ANA45678', SECRET, 'D0123456789'));
      await hooks.ended(event.id);
      const { body } = await asked('it is settled', ({ path }) => path.endsWith('chat.update'));
      expect(body).toMatchObject({ channel: 'D0123456789' });
    });
  });

  it('has no buttons on Slack where no hook would hear of a tap', async () => {
    server = new ScriptedServer(() => json({ ok: true, channel: 'C0123456789', ts: '1.0' }));
    await server.listen();
    const channel = slack({ token: 'xoxb-token', apiRoot: `${server.origin}/api` });
    const verify = { scheme: 'github', secrets: [SECRET] };
    await start(channel, { to: 'C0123456789', approvers: ['slack:U0ANA'], verify });
    const { body } = await asked('the question', ({ path }) => path.endsWith('chat.postMessage'));
    expect(JSON.stringify(body)).not.toContain('hooks_approve');
    expect(JSON.stringify(body)).toContain('Decide about');
  });

  describe('on Discord', () => {
    const CHANNEL = '41771983423143937';
    const MESSAGE = '1000000000000000001';

    /** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object */
    function tap(customId: string, user = '500', key = privateKey): TapRequest {
      const body = JSON.stringify({
        id: '9000',
        type: 3,
        channel_id: CHANNEL,
        member: { user: { id: user, username: 'ana' } },
        message: { id: MESSAGE },
        data: { component_type: 2, custom_id: customId },
        token: 'interaction-token',
        version: 1,
      });
      const timestamp = String(Math.floor(clock.now() / 1000));
      const signature = sign(null, Buffer.from(timestamp + body), key).toString('hex');
      const headers = { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp };
      return { headers: { 'content-type': 'application/json', ...headers }, body };
    }

    it('decides by the first one that may, and tells each in its answer', async () => {
      server = new ScriptedServer(() => json({ id: MESSAGE, channel_id: CHANNEL }));
      await server.listen();
      const channel = discord({ token: 'discord-token', apiRoot: `${server.origin}/api` });
      const verify = { scheme: 'discord', secrets: [PUBLIC_HEX] };
      const event = await start(channel, { to: CHANNEL, approvers: ['discord:500'], verify });
      const { body } = await asked('the question', ({ method }) => method === 'POST');
      const { components } = body as {
        components: { components: { custom_id: string; label: string }[] }[];
      };
      const [approve, deny] = components[0]?.components ?? [];
      expect([approve?.label, deny?.label]).toEqual(['Approve', 'Deny']);
      const id = deny?.custom_id ?? '';
      const other = generateKeyPairSync('ed25519').privateKey;
      expect(await send(tap(id, '500', other))).toMatchObject({ status: 401 });
      expect(await send(tap(id, '501'))).toEqual(whisper('You may not decide this.'));
      expect(await waits()).toHaveLength(1);
      expect(await send(tap(id))).toEqual(whisper('Denied.'));
      await hooks.ended(event.id);
      expect(messages()).toEqual([]);
      const settled = await asked('the message is settled', ({ method }) => method === 'PATCH');
      expect(settled.path).toMatch(new RegExp(`/channels/${CHANNEL}/messages/${MESSAGE}$`));
      expect(settled.body).toMatchObject({
        content: expect.stringContaining('Denied by discord 500'),
        components: [],
      });
      expect(await stored()).toBe(1);
    });
    const whisper = (content: string) => ({
      status: 200,
      json: { type: 4, data: { content, flags: 64 } },
    });
  });

  describe('on Mattermost', () => {
    const CHANNEL = 'c'.repeat(26);
    const POST = 'p'.repeat(26);
    const ANA = 'a'.repeat(26);
    const BEN = 'b'.repeat(26);
    const URL = 'https://hooks.example.org/hooks/taps';
    const verify = { scheme: 'mattermost', secrets: [SECRET] };

    interface Action {
      readonly name: string;
      readonly integration: { url: string; context: Record<string, string> };
    }

    /** @param edited what the server answers to an edit */
    async function question(edited: Answer = json({ id: POST })) {
      server = new ScriptedServer(({ method }) =>
        method === 'PUT' ? edited : { ...json({ id: POST, channel_id: CHANNEL }), status: 201 },
      );
      await server.listen();
      const buttons = { url: URL, secret: SECRET };
      const channel = mattermost({ token: 'bot-token', apiRoot: server.origin, buttons });
      const event = await start(channel, { to: CHANNEL, approvers: [`mattermost:${ANA}`], verify });
      const { body } = await asked('the question', ({ path }) => path === '/api/v4/posts');
      const { message, props } = body as {
        message: string;
        props: { attachments: [{ actions: [Action, Action] }] };
      };
      expect(message).toContain('the reply');
      const [{ actions }] = props.attachments;
      expect(actions.map(({ name }) => name)).toEqual(['Approve', 'Deny']);
      expect(actions.map(({ integration }) => integration.url)).toEqual([URL, URL]);
      return { event, approve: actions[0].integration.context };
    }
    /** `PostActionIntegrationRequest` of mattermost/mattermost, server/public/model/integration_action.go */
    function tap(context: object, user = ANA): TapRequest {
      const names = { user_name: 'ana', channel_name: 'ops', team_domain: 'acme' };
      const ids = { user_id: user, channel_id: CHANNEL, team_id: 't', post_id: POST };
      const kind = { trigger_id: 'trigger', type: 'button', data_source: '' };
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      return { headers, body: JSON.stringify({ ...ids, ...names, ...kind, context }) };
    }
    const whisper = (ephemeral_text: string) => ({
      status: 200,
      json: { ephemeral_text, skip_slack_parsing: true },
    });

    it('decides by the first one that may, tells each in its answer, and settles the message', async () => {
      const { event, approve } = await question();
      expect(approve['code']).toMatch(/^[\w-]{22}$/);
      expect(await send(tap(approve, BEN))).toEqual(whisper('You may not decide this.'));
      expect(await waits()).toHaveLength(1);
      expect(await send(tap(approve))).toEqual(whisper('Approved.'));
      await hooks.ended(event.id);
      expect(messages()).toEqual(['the reply']);
      const settled = await asked('the message is settled', ({ method }) => method === 'PUT');
      expect(settled.path).toBe(`/api/v4/posts/${POST}/patch`);
      expect(settled.headers).toMatchObject({ authorization: 'Bearer bot-token' });
      expect(settled.body).toEqual({
        message: expect.stringContaining(`Approved by mattermost ${ANA}`),
        props: { attachments: [] },
      });
      expect(await send(tap({ ...approve, verdict: 'denied' }))).toEqual(
        whisper('You have approved this.'),
      );
      expect(messages()).toEqual(['the reply']);
      expect(await stored()).toBe(1);
    });

    it.each([
      ['another secret', { secret: 'another-secret-of-some-length' }, 401],
      ['no secret', { secret: undefined }, 401],
    ])('refuses a tap with %s', async (_what, context, status) => {
      const { approve } = await question();
      expect(await send(tap({ ...approve, ...context }))).toMatchObject({ status });
      expect(await waits()).toHaveLength(1);
      expect(messages()).toEqual([]);
      expect(await stored()).toBe(1);
    });

    it('knows no code that it did not send', async () => {
      const { approve } = await question();
      const guessed = { ...approve, code: 'A'.repeat(22) };
      expect(await send(tap(guessed))).toEqual(whisper('Nobody asks this any more.'));
      expect(await waits()).toHaveLength(1);
      const cleared = await asked('its buttons are taken away', ({ method }) => method === 'PUT');
      expect(cleared.body).toEqual({ props: { attachments: [] } });
    });

    it('does what was decided though its server lets nobody edit the message any more', async () => {
      const id = 'api.post.update_post.permissions_time_limit.app_error';
      const late = { ...json({ id, message: 'Post edit is only allowed for 300 seconds.' }) };
      const { event, approve } = await question({ ...late, status: 400 });
      await send(tap(approve));
      await hooks.ended(event.id);
      expect(messages()).toEqual(['the reply']);
      await eventually('no message waits', async () => (await hooks.waiting('delivery')) === 0);
    });
  });

  it('decides on Telegram, too, whose bot has a webhook', async () => {
    const bot = new TelegramBot();
    server = bot;
    bot.hasWebhook = true;
    await bot.listen();
    const channel = telegram({ token: BOT_TOKEN, apiRoot: bot.origin });
    const verify = { scheme: 'telegram', secrets: [SECRET] };
    const event = await start(channel, { to: '4711', verify });
    const question = await eventually('the question', () => bot.messages[0]);
    const update = {
      update_id: 1,
      callback_query: {
        id: 'tap-1',
        from: { id: 4711, is_bot: false, first_name: 'Ana' },
        message: { message_id: question.id, chat: { id: 4711, type: 'private' } },
        data: question.buttons['Approve'],
      },
    };
    const headers = {
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': SECRET,
    };
    const body = JSON.stringify(update);
    const wrong = { ...headers, 'x-telegram-bot-api-secret-token': 'wrong' };
    expect(await send({ headers: wrong, body })).toMatchObject({ status: 401 });
    expect(await waits()).toHaveLength(1);
    expect(await send({ headers, body })).toEqual({ status: 200, json: {} });
    await hooks.ended(event.id);
    expect(messages()).toEqual(['the reply']);
    const told = await eventually('who tapped is told', () => bot.told[0]);
    expect(told).toEqual({ id: 'tap-1', text: 'Approved.' });
  });
});

function json(body: unknown) {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(body)],
  };
}
