import { makeChannel } from '../../src/adapters/channels/providers.ts';
import type { ProviderSettings } from '../../src/adapters/channels/providers.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { FastClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { linear } from '../support/platforms/linear.ts';
import { RecordingChannel } from '../support/recording.ts';
import { sampleOf } from '../support/sources.ts';
import type { Json } from '../support/sources.ts';

type Mapping = NonNullable<HooksModuleOptions['mappings']>[number];

const QUEUED = 1000;

let server: PlatformServer;
let hooks: Hooks;
let answer: (reply: string) => void = () => {};
let chat: RecordingChannel;
let sent = 0;

async function start(
  mapping: Partial<Mapping> = {},
  settings: (origin: string) => ProviderSettings = linear.settings,
): Promise<void> {
  server = await PlatformServer.start(linear);
  chat = new RecordingChannel('chan_1', []);
  const provider = makeChannel('linear', settings(server.origin));
  hooks = await Hooks.start({
    presets: ['linear'],
    mappings: [{ id: 'linear', reply: 'source', ...mapping }],
    agents: { defaults: { heartbeat: { every: '0m' } } },
    channels: {
      chan_1: { provider: chat, to: '+1' },
      chan_5: { provider },
    },
    clock: new FastClock(),
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  answer = resolve;
  hooks.runner.reply = ({ kind }) => (kind === 'run' ? promise : 'HEARTBEAT_OK');
}
afterEach(async () => {
  answer('over');
  await hooks.close();
  await server.close();
});

async function tell(event: string, change: (body: Json) => Json = (body) => body) {
  const { body, headers } = sampleOf('linear', event);
  const fresh = { ...headers, 'linear-delivery': `d-${(sent += 1)}` };
  return hooks.ask('/linear', change(JSON.parse(body) as Json), fresh);
}
const ended = async (answered: Json): Promise<EventDetails> => hooks.ended(answered['eventId']);

const activities = () =>
  server.requests.map(({ body }) => {
    const { input } = (body as { variables: { input: Json } }).variables;
    const { type, body: text } = input['content'] as Json;
    return [type, text, input['ephemeral']];
  });
const THOUGHT = ['thought', 'Working on it…', true];

describe('an agent session of Linear (docs/presets.md)', () => {
  it.each(['created', 'prompted'])('that is %s is answered in it', async (action) => {
    await start();
    const told = await tell(`AgentSessionEvent.${action}`);
    await eventually('it shows a sign of life', () => server.requests.length === 1);
    expect(activities()).toEqual([THOUGHT]);
    answer('the reply');
    expect(await ended(told)).toMatchObject({ status: 'done', warnings: [] });
    expect(activities()).toEqual([THOUGHT, ['response', 'the reply', undefined]]);
    expect(new Set(server.shown.map(({ to }) => to))).toEqual(
      new Set(['session/4d23d4ad-b4bb-4ef1-853f-c9c03439d37d']),
    );
    expect(hooks.runner.turns[0]?.prompt).toMatch(/your answer is shown below it/);
  });

  it(`shows a sign of life before ${QUEUED} runs that came first`, async () => {
    await start();
    const asked = Array.from({ length: QUEUED }, (_, n) => `letter ${n}`);
    while (asked.length > 0) {
      const some = asked.splice(0, 50);
      await Promise.all(
        some.map((message) =>
          hooks.ask('/agent', { message, deliver: false, wakeMode: 'next-heartbeat' }),
        ),
      );
    }
    expect(await hooks.waiting('run')).toBe(QUEUED);
    await tell('AgentSessionEvent.created');
    await eventually('it shows a sign of life', () => server.requests.length === 1);
    expect(activities()).toEqual([THOUGHT]);
    expect(await hooks.waiting('run')).toBe(QUEUED + 1);
  });

  it('shows it and the answer once, where either may have arrived before', async () => {
    await start();
    server.nextMessage({ cut: 'at-once' }, {}, { cut: 'at-once' });
    const told = await tell('AgentSessionEvent.created');
    answer('the reply');
    const event = await ended(told);
    expect(event).toMatchObject({ status: 'done', deliveries: [{ status: 'delivered' }] });
    expect(event.deliveries).toHaveLength(1);
    expect(server.shown.map(({ text }) => text)).toEqual(['Working on it…', 'the reply']);
  });

  it('is answered where its sign of life was refused, of which nobody hears', async () => {
    await start();
    server.nextMessage({ status: 403, body: {} });
    const told = await tell('AgentSessionEvent.created');
    answer('the reply');
    expect(await ended(told)).toMatchObject({ status: 'done' });
    expect(server.shown.map(({ text }) => text)).toEqual(['the reply']);
    expect(chat.messages).toEqual([]);
  });

  it('asks for no run when it is stopped', async () => {
    await start();
    const told = await tell('AgentSessionEvent.prompted', (body) => ({
      ...body,
      agentActivity: { ...(body['agentActivity'] as Json), signal: 'stop' },
    }));
    expect(told).toMatchObject({ status: 200, skipped: true });
    expect(server.requests).toEqual([]);
  });
});

describe('a comment in Linear', () => {
  const ISSUE = '3443a709-f2b5-46f2-a136-a0445fd432be';
  const COMMENT = 'c7cafc52-994d-4984-a217-bff9f9aa9473';

  it('is answered in its thread, and what it wrote there is known by its id', async () => {
    await start();
    answer('the reply');
    await ended(await tell('Comment.create'));
    expect(server.shown).toMatchObject([{ to: `${ISSUE}/${COMMENT}`, text: 'the reply' }]);
    const [request] = server.requests;
    const { input } = (request!.body as { variables: { input: Json } }).variables;
    const again = await tell('Comment.create', (body) => ({
      ...body,
      // As a person's, since it may be a person's key.
      data: { ...(body['data'] as Json), id: input['id'], body: input['body'], parentId: COMMENT },
    }));
    expect(again).toMatchObject({ status: 200, skipped: true });
    expect(server.requests).toHaveLength(1);
  });

  it('of somebody else is heard, whatever words it has', async () => {
    await start();
    answer('the reply');
    await ended(await tell('Comment.create'));
    await ended(
      await tell('Comment.create', (body) => ({
        ...body,
        data: { ...(body['data'] as Json), id: ISSUE, body: 'the reply' },
      })),
    );
    expect(server.requests).toHaveLength(2);
  });

  it('in a thread that is shown elsewhere waits for a person', async () => {
    await start();
    answer('the reply');
    const { eventId } = await tell('Comment.create', (body) => ({
      ...body,
      data: { ...(body['data'] as Json), syncedWith: { service: 'slack' } },
    }));
    await eventually('it waits', async () => (await hooks.details(eventId)).status === 'waiting');
    expect(server.requests).toEqual([]);
  });

  it('notifies nobody', async () => {
    await start();
    answer('@kim or https://linear.app/acme/profiles/kim');
    await ended(await tell('Comment.create'));
    expect(server.shown[0]?.text).not.toMatch(/@kim|\/profiles/);
  });
});

describe('an app of Linear', () => {
  const SECRET = 'lin_client_secret';
  const app = (origin: string): ProviderSettings => ({
    appId: 'app-1',
    appSecret: SECRET,
    apiRoot: origin,
  });

  it('gets its tokens by its credentials, and another one when that was refused', async () => {
    await start({}, app);
    const given = ['lin_oauth_1', 'lin_oauth_2'];
    const token = (access_token: string) => ({
      body: { access_token, token_type: 'Bearer', expires_in: 2_591_999 },
    });
    const refused = { errors: [{ message: 'No', extensions: { type: 'authentication error' } }] };
    const done = { body: { data: { commentCreate: { success: true } } } };
    server.next(token(given[0]!), { status: 401, body: refused }, token(given[1]!), done);
    answer('the reply');
    const told = await tell('Comment.create');
    expect(await ended(told)).toMatchObject({
      status: 'done',
      deliveries: [{ status: 'delivered', attempts: [{ outcome: 'retry' }, {}] }],
    });
    const [asked, first, , second] = server.requests;
    expect(asked).toMatchObject({
      path: '/oauth/token',
      body: {
        grant_type: 'client_credentials',
        client_id: 'app-1',
        client_secret: SECRET,
        scope: 'read,write,app:assignable,app:mentionable',
      },
    });
    expect([first, second].map((one) => one?.headers.authorization)).toEqual(
      given.map((one) => `Bearer ${one}`),
    );
  });

  it('needs both of them, or a token', async () => {
    await start();
    const message = 'token is missing, or appId and appSecret';
    expect(() => makeChannel('linear', {})).toThrow(message);
    expect(() => makeChannel('linear', { appId: 'app-1' })).toThrow(message);
  });
});
