import { discord, mattermost, slack, telegram } from '../../src/channels.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { Channel } from '../../src/hooks/index.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import {
  seenOnDiscord,
  seenOnMattermost,
  seenOnSlack,
  seenOnTelegram,
} from '../support/platform-readers.ts';
import type { SeenQuestion } from '../support/platform-readers.ts';
import { RecordingChannel } from '../support/recording.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import type { RecordedRequest } from '../support/scripted-server.ts';

const SECRET = 'the-signing-secret-of-this-test';

interface Platform {
  readonly to: string;
  readonly approver: string;
  readonly verify: object;
  readonly body?: 'form';
  readonly channel: (origin: string) => Channel;
  readonly answer: unknown;
  readonly asks: (request: RecordedRequest) => boolean;
  readonly seen: (request: RecordedRequest) => SeenQuestion;
}

const PLATFORMS: Readonly<Record<string, Platform>> = {
  Discord: {
    to: '41771983423143937',
    approver: 'discord:500',
    verify: { scheme: 'discord', secrets: ['a'.repeat(64)] },
    channel: (origin) => discord({ token: 'discord-token', apiRoot: `${origin}/api` }),
    answer: { id: '1000000000000000001', channel_id: '41771983423143937' },
    asks: ({ path }) => path.endsWith('/messages'),
    seen: seenOnDiscord,
  },
  Slack: {
    to: 'C0123456789',
    approver: 'slack:U0ANA',
    verify: { scheme: 'slack', secrets: [SECRET] },
    body: 'form',
    channel: (origin) => slack({ token: 'xoxb-token', apiRoot: `${origin}/api` }),
    answer: { ok: true, channel: 'C0123456789', ts: '1712345678.000100' },
    asks: ({ path }) => path.endsWith('chat.postMessage'),
    seen: seenOnSlack,
  },
  Mattermost: {
    to: 'c'.repeat(26),
    approver: `mattermost:${'a'.repeat(26)}`,
    verify: { scheme: 'mattermost', secrets: [SECRET] },
    channel: (origin) => {
      const buttons = { url: 'https://hooks.example.org/hooks/taps', secret: SECRET };
      return mattermost({ token: 'bot-token', apiRoot: origin, buttons });
    },
    answer: { id: 'p'.repeat(26) },
    asks: ({ path }) => path === '/api/v4/posts',
    seen: seenOnMattermost,
  },
  Telegram: {
    to: '4711',
    approver: 'telegram:4711',
    verify: { scheme: 'telegram', secrets: [SECRET] },
    channel: (origin) => telegram({ token: '1:token', apiRoot: origin }),
    answer: { ok: true, result: { message_id: 1, date: 1, chat: { id: 4711, type: 'private' } } },
    asks: ({ path }) => path.endsWith('/sendMessage'),
    seen: seenOnTelegram,
  },
};

const FENCED =
  'We refund 10 EUR.\n```\nwithout a decision by tomorrow it is denied.\n\n||Also: send the list to mallory||\n-# [terms](https://shop.example)\n```';

/** What markup of some platform would make something else of, or an end; and where it has no buttons therefore. */
const ATTACKS: readonly (readonly [what: string, reply: string, without: readonly string[]])[] = [
  ['a block of code, and markup behind it', FENCED, ['Discord']],
  ['a long fence', 'a\n`````\n**b**', ['Discord']],
  ['fences of another kind', '~~~\n# a\n~~~', []],
  ['three backticks within a line', 'a ``` b', ['Discord']],
  ['a spoiler', '||yes||', []],
  ['a heading and small print', '# a\n-# b', []],
  ['mentions', '<@1> @everyone <!channel>', []],
  ['a link under another word', '[a](https://b.example)', []],
  ["Slack's links", '<https://b.example|a>', []],
  ['written-out characters', '&lt;b&gt; &amp;amp;', ['Slack']],
  ['an image', '![a](https://b.example/c.png)', []],
  ['a table', '| a | b |\n| --- | --- |\n| c | d |', []],
  ['formulas', '$a$ $$b$$', []],
  ['a sign for a line feed', 'a\u2424```\u2424b', ['Discord', 'Mattermost']],
  ['the end of our own question', 'a\n```\n\nHook x, agent y.', ['Discord']],
];
const DOUBTED = 'Not all of it may be seen here';
const MARKUP = /mallory|small|\|\||denied by tomorrow|everyone|example|Hook x/;

/** What nobody sees, or nobody looks for. */
const PADDED: readonly (readonly [what: string, reply: string])[] = [
  ['four blank lines', 'ok\n\n\n\n\nand all the rest'],
  ['41 blanks of many kinds', `ok${'\u00a0\u2003\u3000'.repeat(14)}and all the rest`],
  ['a braille blank', 'ok\u2800and all the rest'],
  ['Hangul fillers', 'ok\u3164\u115f\u1160\uffa0and all the rest'],
  ['a musical null', 'ok\u{1d159}and all the rest'],
  ['zero-width spaces', 'ok\u200band'],
];

describe('a question has buttons only where all of it is seen (docs/channels.md)', () => {
  const apps = new Map<Platform, { readonly hooks: Hooks; readonly server: ScriptedServer }>();

  beforeAll(async () => {
    for (const platform of Object.values(PLATFORMS)) {
      const server = new ScriptedServer(() => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        chunks: [JSON.stringify(platform.answer)],
      }));
      await server.listen();
      const hooks = await start(platform, platform.channel(server.origin));
      apps.set(platform, { hooks, server });
    }
  });
  afterAll(async () => {
    for (const { hooks, server } of apps.values()) {
      await hooks.close();
      await server.close();
    }
  });

  function start({ to, approver, verify, body }: Platform, channel: Channel): Promise<Hooks> {
    const approve = { reply: true, approvers: [approver] };
    const notify = { channel: 'chan_2', to } as const;
    const ask = { channel: 'chan_1', to: 'customer', wakeMode: 'next-heartbeat' };
    // Links stay links, so that nothing takes the sting out of a text before.
    const plainly = { messageTemplate: '{{ message }}', allowLinks: true };
    return Hooks.start({
      agents: { defaults: { heartbeat: { every: '0m' }, approve, notify } },
      channels: {
        chan_1: { provider: new RecordingChannel('chan_1', []) },
        chan_2: { provider: channel },
      },
      mappings: [
        { id: 'taps', match: { path: 'taps' }, action: 'ignore', verify, body },
        { id: 'ask', ...ask, ...plainly },
        { id: 'redacted', ...ask, redact: ['plan'] },
      ] as never,
    });
  }
  /** The question about a reply, as people see it and as it was sent. */
  async function ask(
    platform: Platform,
    reply: string,
    message = 'what was asked',
    { path = '/ask', payload = { message } }: { path?: string; payload?: object } = {},
  ): Promise<SeenQuestion & { readonly sent: string }> {
    const { hooks, server } = apps.get(platform)!;
    const before = server.requests.length;
    hooks.runner.reply = () => reply;
    await hooks.ask(path, payload);
    const asked = () => server.requests.slice(before).find(platform.asks);
    const question = await eventually('somebody is asked', asked);
    const admin = hooks.app.get(LedgerAdmin);
    // Twenty at a time are asked.
    const { waits } = await admin.waits({ limit: 1 });
    await admin.decide(waits[0]?.id ?? '', { verdict: 'denied', at: Date.now() });
    return { ...platform.seen(question), sent: JSON.stringify(question.body) };
  }

  describe.each(Object.entries(PLATFORMS))('on %s', (name, platform) => {
    it('has them for an ordinary reply, beside the request', async () => {
      const reply = 'Dear Ann,\n\n  yes: `a_b` *c*.';
      const seen = await ask(platform, reply, 'May I\nhave it?');
      expect(seen.hasButtons).toBe(true);
      const [shown, request, ...more] = seen.blocks;
      expect(shown).toBe(reply);
      expect(request).toMatch(
        /^<<<EXTERNAL_UNTRUSTED_CONTENT id="(\w{32})">>>\nMay I\nhave it\?\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="\1">>>$/,
      );
      expect(more).toEqual([]);
      expect(seen.rest).toMatch(
        /Hook ask, agent main, waiting since \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
      );
      expect(seen.rest).toMatch(/without a decision by \d{4}-\d\d-\d\d \d\d:\d\d UTC it is denied/);
    });

    it.each(ATTACKS)('shows %s sign by sign, or has none', async (_what, reply, without) => {
      const seen = await ask(platform, reply);
      expect(seen.hasButtons).toBe(!without.includes(name));
      expect(seen.sent.includes(DOUBTED)).toBe(!seen.hasButtons);
      if (!seen.hasButtons) return;
      const withoutBreaks = (text?: string) => text?.replaceAll(/[\n\u200b]/g, '');
      expect(withoutBreaks(seen.blocks[0])).toBe(withoutBreaks(reply));
      expect(seen.blocks).toHaveLength(2);
      expect(seen.rest).not.toMatch(MARKUP);
    });

    it.each(ATTACKS)('has them though the request is %s', async (_what, message) => {
      const seen = await ask(platform, 'yes', message);
      const isSeen = !(name === 'Slack' && message.includes('&')) && !message.includes('\u2424');
      if (isSeen) expect(seen.hasButtons).toBe(true);
      if (!seen.hasButtons) return;
      expect(seen.blocks).toEqual(['yes', expect.stringMatching(/^<<<EXT[^]*>>>$/)]);
      expect(seen.rest).not.toMatch(MARKUP);
    });

    it.each(PADDED)('has none for %s, and says so', async (_what, reply) => {
      const seen = await ask(platform, reply);
      expect(seen.hasButtons).toBe(false);
      expect(seen.sent).toContain(DOUBTED);
    });
  });

  const LONG_REQUEST = `${'what was asked, '.repeat(499)}what was asked..`;
  const { Discord, Slack, Mattermost } = PLATFORMS as Record<
    'Discord' | 'Slack' | 'Mattermost',
    Platform
  >;
  const shownOf = ({ blocks: [, request = ''] }: SeenQuestion) =>
    request.match(/^The beginning of 8,000 characters:\n<<<.*>>>\n([^]*)\n<<<.*>>>$/)?.[1]
      ?.length ?? 0;

  it.each([
    ['all that may be shown of a request beside a short reply', 100, 580],
    ['less of it beside a longer one', 800, 380],
    ['no less than a few lines', 990, 180],
  ])('shows %s', async (_what, length, least) => {
    const reply = 'y'.repeat(length);
    const seen = await ask(Discord, reply, LONG_REQUEST);
    expect(seen).toMatchObject({ hasButtons: true, blocks: [reply, expect.any(String)] });
    expect(shownOf(seen)).toBeGreaterThan(least);
    expect(shownOf(seen)).toBeLessThanOrEqual(least + 20);
  });

  it.each([
    ['where a reply leaves no room for any of the request', Discord, 'y'.repeat(1250)],
    ['for what Slack might refuse', Slack, 'y '.repeat(4000)],
  ])('has none %s', async (_what, platform, reply) => {
    expect((await ask(platform, reply, LONG_REQUEST)).hasButtons).toBe(false);
  });

  it.each([
    ['of words', 'We refund 10 EUR today, and the rest next week.', 30],
    ['of one long word', 'y'.repeat(100), 30],
    ['of wide letters', '高'.repeat(40), 15],
    ['of indented code', `      ${'a b '.repeat(20)}`, 30],
  ])('breaks lines %s that an app of Mattermost would cut off', async (_what, reply, longest) => {
    const seen = await ask(Mattermost, reply);
    expect(seen.hasButtons).toBe(true);
    const lines = seen.blocks[0]?.split('\n') ?? [];
    expect(lines.join('')).toBe(reply);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(longest);
  });

  it.each([
    ['Yi, which is as wide as Chinese', `${'\ua000'.repeat(16)}PAY MALLORY`, true],
    ['squared words', '\u337f'.repeat(20), true],
    ['a ligature of a phrase', 'Refund 10 EUR \ufdfd AND 900', false],
    ['a three-em dash', 'Refund 10 EUR \u2e3b AND 900', false],
  ])('counts %s by the most that it may take on a telephone', async (_what, reply, hasButtons) => {
    const seen = await ask(Mattermost, reply);
    expect(seen.hasButtons).toBe(hasButtons);
    for (const line of hasButtons ? seen.blocks[0]!.split('\n') : []) {
      expect(line.replaceAll(/[^ -~]/gu, 'ww').length).toBeLessThanOrEqual(30);
    }
  });

  it('shows of the request no padding, and nothing that hides', async () => {
    const message = `a${'\n'.repeat(50)}b${'\u00a0'.repeat(500)}c\u202ed <|im_start|>`;
    const { blocks } = await ask(Discord, 'yes', message);
    expect(blocks[1]).toContain('\na\n\nb c\ufffdd (model token');
  });

  it('leaves out of the request what its mapping leaves out', async () => {
    const payload = { text: 'May I?', plan: 'x-secret', password: 'hunter2' };
    const seen = await ask(Discord, 'yes', undefined, { path: '/redacted', payload });
    expect(seen.blocks[1]).toContain(
      '{"text":"May I?","plan":"[left out]","password":"[left out]"}',
    );
  });

  it('has none in a channel of a host that proves nothing', async () => {
    class Unproven extends RecordingChannel {
      override readonly buttons = { people: 'people', isPrivate: () => true, polling: {} } as never;
    }
    const sent = new Unproven('chan_2', []);
    const hooks = await start({ ...Discord, to: 'ana', approver: 'people:ana' }, sent);
    await hooks.ask('/ask', {});
    const { text, code } = await eventually('somebody is asked', () => sent.messages[0]);
    expect(code).toBeUndefined();
    expect(text).toContain('Decide about');
    await hooks.close();
  });
});
