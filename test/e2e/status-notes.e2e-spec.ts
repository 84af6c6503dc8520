import { makeChannel } from '../../src/adapters/channels/providers.ts';
import { AgentError, HooksSettings, LedgerAdmin } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { FastClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { findProblems } from '../support/ingest.ts';
import { discord } from '../support/platforms/discord.ts';
import { intercom } from '../support/platforms/intercom.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { slack } from '../support/platforms/slack.ts';
import { telegram } from '../support/platforms/telegram.ts';
import { RecordingChannel } from '../support/recording.ts';
import { SOURCES, commentOf, sampleOf } from '../support/sources.ts';
import type { Json, SourceName } from '../support/sources.ts';

type Mapping = NonNullable<HooksModuleOptions['mappings']>[number];

const OTHERS = { slack, telegram, discord, intercom };
const NAMES = Object.keys(SOURCES) as SourceName[];
const WORKING = 'Working on it…';

let server: PlatformServer;
let hooks: Hooks;
let chat: RecordingChannel;
/** The agent answers once this is called. */
let answer: (reply: string | Error) => void;

async function start(
  preset: SourceName | keyof typeof OTHERS,
  mapping: Partial<Mapping> = {},
  more: Partial<HooksModuleOptions> = {},
  onUnknown: 'retry' | 'stop' = 'retry',
): Promise<void> {
  const { github, gitea, gitlab } = SOURCES;
  const all = { github: github.speech, gitea: gitea.speech, gitlab: gitlab.speech, ...OTHERS };
  const speech = all[preset];
  server = await PlatformServer.start(speech);
  chat = new RecordingChannel('chan_1', []);
  const provider = makeChannel(speech.provider, speech.settings(server.origin));
  hooks = await Hooks.start({
    presets: [preset],
    mappings: [{ id: preset, reply: 'source', statusNote: true, ...mapping }],
    agents: { defaults: { heartbeat: { every: '0m' } } },
    channels: { chan_1: { provider: chat, to: '+1' }, chan_5: { provider, onUnknown } },
    clock: new FastClock(),
    ...more,
  });
  const { promise, resolve } = Promise.withResolvers<string | Error>();
  answer = resolve;
  hooks.runner.reply = async ({ kind }) => {
    if (kind !== 'run') return 'HEARTBEAT_OK';
    const reply = await promise;
    if (reply instanceof Error) throw reply;
    return reply;
  };
}
afterEach(async () => {
  answer('over');
  await hooks.close();
  await server.close();
});

async function tell(name: SourceName, text = 'A question.', isPrivate = true): Promise<string> {
  const { body, headers } = commentOf(name, text, { isPrivate });
  const { eventId } = await hooks.ask(`/${name}`, body, headers);
  return String(eventId);
}
const texts = (): string[] => server.shown.map(({ text }) => text);
const shows = (...expected: string[]) =>
  eventually(`it shows ${expected.join(' | ')}`, () => texts().join('|') === expected.join('|'));
const waits = (id: string): Promise<EventDetails> =>
  eventually('it waits', async () => {
    const event = await hooks.details(id);
    return event.status === 'waiting' && event;
  });

describe.each(NAMES)('statusNote with the preset %s (behaviour.md §7)', (name) => {
  const { to } = SOURCES[name];

  it('says that it is worked on, and puts the answer in its place', async () => {
    await start(name);
    const id = await tell(name);
    await shows(WORKING);
    answer('the reply');
    const event = await hooks.ended(id);
    expect(server.shown).toEqual([{ to, text: 'the reply' }]);
    expect(event).toMatchObject({
      status: 'done',
      deliveries: [
        {
          to,
          status: 'skipped',
          error: 'the reply took the place of this note',
          messageId: '1',
          attempts: [{ outcome: 'delivered' }],
        },
        { to, status: 'delivered', messageId: '1' },
      ],
    });
  });

  it('hears none of what it wrote, nor that it was changed', async () => {
    await start(name, { approve: false });
    const id = await tell(name);
    await shows(WORKING);
    answer('the reply');
    await hooks.ended(id);
    const written = server.requests.map(({ body }) => String((body as Json)['body']));
    expect(written).toHaveLength(2);
    for (const text of written) {
      for (const action of ['created', 'edited', 'create', 'update']) {
        const { body, headers } = commentOf(name, text, { by: 'ada' });
        const attributes = { ...(body['object_attributes'] as Json), action };
        const changed = { ...body, action, object_attributes: attributes };
        await hooks.ask(`/${name}`, changed, headers);
      }
    }
    expect(hooks.runner.turns.filter(({ kind }) => kind === 'run')).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  });

  it('posts the answer anew where somebody deleted the note', async () => {
    await start(name);
    const id = await tell(name);
    await shows(WORKING);
    server.deleted.add(0);
    answer('the reply');
    expect(await hooks.ended(id)).toMatchObject({
      status: 'done',
      deliveries: [{ status: 'delivered' }, { status: 'delivered', messageId: '2' }],
    });
    expect(texts()).toEqual([WORKING, 'the reply']);
  });
});

describe('a note that says how a run stands', () => {
  it('is written only where the mapping says so', async () => {
    await start('github', { statusNote: false });
    const id = await tell('github');
    answer('the reply');
    expect((await hooks.ended(id)).deliveries).toHaveLength(1);
    expect(texts()).toEqual(['the reply']);
  });

  it('says that there is no answer when the run failed, and not why', async () => {
    await start('github');
    const id = await tell('github');
    await shows(WORKING);
    answer(new AgentError('the key sk-123 of db.internal is wrong', 'permanent'));
    expect(await hooks.ended(id)).toMatchObject({
      status: 'failed',
      deliveries: [{ status: 'delivered' }],
    });
    await shows('This could not be answered.');
  });

  it('says that a person decides, and then what that person let through', async () => {
    await start('github');
    const id = await tell('github', 'A question.', false);
    await shows(WORKING);
    answer('the reply');
    const { runs } = await waits(id);
    await shows('This waits for the approval of a person.');
    await decide(runs[0]?.waits[0]?.id, 'approved');
    await hooks.ended(id);
    expect(texts()).toEqual(['the reply']);
  });

  it.each(['run', 'reply'] as const)('says no more when its %s was denied', async (approve) => {
    await start('github', { approve });
    const id = await tell('github');
    answer('the reply');
    const { runs } = await waits(id);
    await shows('This waits for the approval of a person.');
    await decide(runs[0]?.waits[0]?.id, 'denied');
    await hooks.ended(id);
    await shows('This is not answered.');
  });

  it('says that there is nothing to say', async () => {
    await start('github');
    const id = await tell('github');
    answer('HEARTBEAT_OK');
    await hooks.ended(id);
    await shows('There is nothing to add.');
  });

  it('becomes the first message of a long answer, and the rest follows', async () => {
    await start('github');
    const id = await tell('github');
    await shows(WORKING);
    answer('Long. '.repeat(8000));
    expect(await hooks.ended(id)).toMatchObject({
      deliveries: [{ status: 'skipped' }, { status: 'delivered', messageId: '1' }],
    });
    expect(texts()).toHaveLength(3);
    expect(texts().map((text) => text.slice(0, 5))).toEqual(['(1/3)', '(2/3)', '(3/3)']);
  });

  it('is sent once, also where nobody knows whether it arrived', async () => {
    await start('github');
    server.nextMessage({ cut: 'at-once' });
    const id = await tell('github');
    await eventually('it was asked', () => server.requests.length === 1);
    await eventually('it is given up', async () => (await hooks.waiting('delivery')) === 0);
    answer('the reply');
    expect(await hooks.ended(id)).toMatchObject({
      status: 'done',
      deliveries: [{ status: 'delivered' }],
    });
    expect(server.requests).toHaveLength(2);
  });

  it('stays where it may not be changed, and the answer is written anew', async () => {
    await start('github');
    const id = await tell('github');
    await shows(WORKING);
    server.nextMessage({ status: 403, body: { message: 'Resource not accessible' } });
    answer('the reply');
    expect(await hooks.ended(id)).toMatchObject({ status: 'done' });
    expect(texts()).toEqual([WORKING, 'the reply']);
    expect(chat.messages).toEqual([]);
  });

  it('has the answer in its place once, also where an answer of the platform is lost', async () => {
    await start('github', {}, {}, 'stop');
    const id = await tell('github');
    await shows(WORKING);
    server.nextMessage({ cut: 'at-once' });
    answer('the reply');
    expect(await hooks.ended(id)).toMatchObject({ status: 'done' });
    expect(texts()).toEqual(['the reply']);
    expect(server.requests).toHaveLength(3);
  });

  it('is nobody’s trouble when it is refused', async () => {
    await start('github');
    server.nextMessage({ status: 403, body: { message: 'Resource not accessible' } });
    const id = await tell('github');
    await eventually('it was asked', () => server.requests.length === 1);
    answer('the reply');
    const event = await hooks.ended(id);
    expect(event).toMatchObject({ status: 'done', deliveries: [{ status: 'delivered' }] });
    expect(texts()).toEqual(['the reply']);
    expect(chat.messages).toEqual([]);
  });

  it('is no delivery of the reply to the sender that asks', async () => {
    await start(
      'github',
      {},
      { tokens: [{ id: 'hub', hooks: ['github'], token: 'a-token-of-the-hub-of-the-tests' }] },
    );
    const token = 'a-token-of-the-hub-of-the-tests';
    const { body, headers } = commentOf('github', 'A question.');
    const own = { ...headers, authorization: `Bearer ${token}` };
    const { eventId, runId } = await hooks.ask('/github', body, own);
    await shows(WORKING);
    expect(await hooks.run(runId, { token })).not.toHaveProperty('delivery');
    answer('the reply');
    await hooks.ended(eventId);
    expect(await hooks.run(runId, { token })).toMatchObject({ delivery: 'delivered' });
  });

  it.each([
    ['slack', 'app_mention.thread'],
    ['telegram', 'message.group'],
    ['discord', 'command'],
  ] as const)('becomes the answer in %s', async (name, event) => {
    await start(name, { approve: false });
    const { body, headers } = sampleOf(name, event);
    const { eventId } = await hooks.ask(`/${name}`, body, headers);
    await shows(WORKING);
    answer('the reply');
    await hooks.ended(eventId);
    expect(texts()).toEqual(['the reply']);
  });

  it('is left out where a platform edits nothing, which the start says', async () => {
    await start('intercom');
    const settings = hooks.app.get(HooksSettings);
    expect((await settings.findings(settings.current)).warnings).toContainEqual({
      key: 'mapping intercom',
      message: expect.stringContaining('has a statusNote, and intercom lets no message be changed'),
    });
    const { body, headers } = sampleOf('intercom', 'conversation.user.replied');
    const { eventId } = await hooks.ask('/intercom', body, headers);
    answer('the reply');
    await hooks.ended(eventId);
    expect(texts()).toEqual(['the reply']);
  });

  it('is refused at start beside a reply that goes elsewhere', async () => {
    await start('github');
    const problems = findProblems({
      presets: ['github'],
      mappings: [{ id: 'github', statusNote: true }],
    });
    expect(problems.join('\n')).toContain('mappings[0].statusNote has no meaning without reply:');
  });
});

async function decide(wait: string | undefined, verdict: 'approved' | 'denied'): Promise<void> {
  const decision = { verdict, by: 'ana', at: 1 };
  expect(await hooks.app.get(LedgerAdmin).decide(wait ?? '', decision)).toBe('decided');
}
