import { makeChannel } from '../../src/adapters/channels/providers.ts';
import { plainParts } from '../../src/hooks/work/links.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import {
  METHOD_NOT_FOUND,
  UPGRADED,
  telegram,
  telegramError,
} from '../support/platforms/telegram.ts';
import type { Script } from '../support/scripted-server.ts';

let server: PlatformServer;
beforeEach(async () => (server = await PlatformServer.start(telegram)));
afterEach(() => server.close());

async function deliver(
  markdown: string,
  { format, to = telegram.to }: { format?: 'auto' | 'rich' | 'plain'; to?: string } = {},
): Promise<void> {
  const channel = makeChannel('telegram', { ...telegram.settings(server.origin), format });
  for (const [n, text] of channel.parts(markdown).entries()) {
    const message = { to, text, idempotencyKey: `d:${n}` };
    await channel.send(message, new AbortController().signal);
  }
}

const methods = () => server.requests.map(({ path }) => path.split('/').at(-1));
const bodies = () => server.requests.map(({ body }) => body);

const REPLY = `## Deploy finished
Host: web-1
User: <pod> & co
Costs: $395k to $483k, a||b||c, ==x==

**\`web-1\`** is *fine*:
\`\`\`sh
kubectl get <pod>
\`\`\``;
const NO_TOPIC = telegramError(400, 'Bad Request: message thread not found');
const TABLE = '| Pod | Restarts |\n|:--|--:|\n| `web-1` <b> | **3** |';

describe('telegram: a reply is a text', () => {
  it('that says word by word and line by line what the agent wrote, with its emphasis beside it', async () => {
    await deliver(REPLY);
    const text = `Deploy finished
Host: web-1
User: <pod> & co
Costs: $395k to $483k, a||b||c, ==x==

web-1 is fine:
kubectl get <pod>`;
    const at = (type: string, words: string) => {
      return { type, offset: text.indexOf(words), length: words.length };
    };
    expect(methods()).toEqual(['sendMessage']);
    expect(bodies()).toEqual([
      {
        chat_id: telegram.to,
        text,
        entities: expect.arrayContaining([
          at('bold', 'Deploy finished'),
          { ...at('code', 'web-1'), offset: text.lastIndexOf('web-1') },
          { ...at('bold', 'web-1'), offset: text.lastIndexOf('web-1') },
          at('italic', 'fine'),
          at('pre', 'kubectl get <pod>'),
        ]),
        link_preview_options: { is_disabled: true },
      },
    ]);
  });

  it('whose entities begin and end where UTF-16 counts', async () => {
    await deliver('👩‍👩‍👧 **né** 東');
    expect(bodies()).toMatchObject([
      { text: '👩‍👩‍👧 né 東', entities: [{ type: 'bold', offset: 9, length: 2 }] },
    ]);
  });

  it('that mentions nobody, whatever was between the sign and the name', async () => {
    await deliver('@**all** @`ada` x **@**bob');
    expect(JSON.stringify(bodies())).not.toMatch(/@\w/);
  });
});

describe('telegram: a reply with a table is a rich message', () => {
  it('in which nothing is read as anything but text', async () => {
    await deliver(`${REPLY}\n${TABLE}\n\nThat is *all*,\nADA`);
    expect(methods()).toEqual(['sendRichMessage']);
    const html = `<h2>Deploy finished</h2>
<p>Host: web-1<br>User: &lt;pod&gt; &amp; co<br>Costs: $395k to $483k, a||b||c, ==x==</p>
<p><b><code>web-1</code></b> is <i>fine</i>:</p>
<pre>kubectl get &lt;pod&gt;</pre>
<table bordered striped><tr><th align="left">Pod</th><th align="right">Restarts</th></tr><tr><td align="left"><code>web-1</code> &lt;b&gt;</td><td align="right"><b>3</b></td></tr></table>
<p>That is <i>all</i>,<br>ADA</p>`;
    expect(bodies()).toEqual([{ chat_id: telegram.to, rich_message: { html } }]);
  });

  it('and a text where that is wanted, or where it needs several messages', async () => {
    const columns = 'Pod        Restarts\n---------  --------\nweb-1 <b>         3';
    await deliver(TABLE, { format: 'plain' });
    expect(bodies()).toMatchObject([
      { text: columns, entities: [{ type: 'pre', offset: 0, length: columns.length }] },
    ]);
    await deliver(`${'word '.repeat(900)}\n\n${TABLE}`);
    expect(methods()).toEqual(['sendMessage', 'sendMessage', 'sendMessage']);
  });

  it('and every reply where that is wanted', async () => {
    await deliver('a\n<b>', { format: 'rich' });
    expect(bodies()).toEqual([
      { chat_id: telegram.to, rich_message: { html: '<p>a<br>&lt;b&gt;</p>' } },
    ]);
  });

  it.each<Script>([
    METHOD_NOT_FOUND,
    telegramError(404, 'Not Found'),
    telegramError(400, 'Bad Request: RICH_VALIDATE_CTOR_NOT_ALLOWED'),
    telegramError(400, 'Bad Request: message is too long'),
    telegramError(400, "Bad Request: can't parse entities: unsupported start tag"),
  ])('that is sent as text, once, when it is refused: %j', async (script) => {
    server.next(script);
    await deliver(TABLE);
    expect(methods()).toEqual(['sendRichMessage', 'sendMessage']);
    expect(server.shown).toMatchObject([{ text: expect.stringMatching(/^Pod {2,}Restarts\n/) }]);
  });

  it.each<[Script, string]>([
    [telegramError(403, 'Forbidden: bot was blocked by the user'), 'permanent'],
    [telegramError(401, 'Unauthorized'), 'auth'],
    [telegramError(429, 'Too Many Requests: retry after 3', { retry_after: 3 }), 'rate-limited'],
    [{ cut: 'at-once' }, 'unknown'],
  ])('whose other failures are those of the message: %j', async (script, kind) => {
    server.next(script);
    await expect(deliver(TABLE)).rejects.toMatchObject({ kind });
    expect(methods()).toEqual(['sendRichMessage']);
  });

  it('fails as the text fails: an unknown chat is asked twice and no more', async () => {
    const unknown = telegramError(400, 'Bad Request: chat not found');
    server.next(unknown, unknown);
    const message = 'Telegram refused the message: Bad Request: chat not found';
    await expect(deliver(TABLE)).rejects.toMatchObject({ kind: 'permanent', message });
    expect(methods()).toEqual(['sendRichMessage', 'sendMessage']);
  });
});

describe('telegram: where it goes', () => {
  it.each([
    ['-1001234567890/42', { chat_id: '-1001234567890', message_thread_id: 42 }],
    ['@ada_channel/7', { chat_id: '@ada_channel', message_thread_id: 7 }],
  ])('%s is a topic, of a text and of a rich message', async (to, chat) => {
    await deliver('a', { to });
    await deliver(TABLE, { to });
    expect(bodies()).toMatchObject([chat, chat]);
  });

  it('the general topic is none: it is refused when it is named', async () => {
    await deliver('a', { to: '-1001234567890/1' });
    expect(bodies()).toEqual([expect.not.objectContaining({ message_thread_id: 1 })]);
    expect(server.shown).toEqual([{ to: '-1001234567890', text: 'a' }]);
  });

  it('a group that became a supergroup is named with its new id', async () => {
    server.next(UPGRADED);
    await expect(deliver('a')).rejects.toMatchObject({
      kind: 'permanent',
      message:
        'Telegram refused the message: Bad Request: group chat was upgraded to a supergroup chat; its chat id is -1009876543210 now, use that',
      instead: '-1009876543210',
    });
  });

  it.each<[string, string, Script, string[], string | undefined]>([
    ['a text to a topic that was deleted', 'a', NO_TOPIC, ['sendMessage'], '-1001234567890'],
    ['a table likewise', TABLE, NO_TOPIC, ['sendRichMessage'], '-1001234567890'],
    ['a topic of a group that moved', 'a', UPGRADED, ['sendMessage'], '-1009876543210/42'],
    [
      'a topic that was closed',
      'a',
      telegramError(400, 'Bad Request: TOPIC_CLOSED'),
      ['sendMessage'],
      undefined,
    ],
  ])('%s: where it can go instead', async (_what, text, answer, asked, instead) => {
    server.next(answer);
    const kind = 'permanent';
    await expect(deliver(text, { to: '-1001234567890/42' })).rejects.toMatchObject({
      kind,
      instead,
    });
    expect(methods()).toEqual(asked);
  });

  it('a token that is none is told as such', async () => {
    server.next(telegramError(404, 'Not Found'));
    const message = expect.stringContaining('check its credentials');
    await expect(deliver('a')).rejects.toMatchObject({ kind: 'auth', message });
  });
});

describe('telegram: links of a reply to foreign text', () => {
  // Telegram makes links of addresses in a text by itself.
  it.each([
    'https://evil.com/?d=1',
    '[here](https://evil.com)',
    'ev**i**l.com',
    '`evil. `com',
    'evil`.`com',
    'ev\ril.com',
    'evil.\u202ecom',
    'evi\u0333l.c\u030aom',
    'ev\u0007il.com',
    '**https**://evil.com',
    'h\\ttps\\://evil\\.com',
    '|a|\n|-|\n|`evil. `com|',
  ])('%j is none in what people read', async (markdown) => {
    const channel = makeChannel('telegram', telegram.settings(server.origin));
    for (const part of plainParts(channel, markdown)) {
      await channel.send(
        { to: telegram.to, text: part, idempotencyKey: 'd' },
        new AbortController().signal,
      );
    }
    const read = server.shown
      .map(({ text }) => text.replaceAll(/<[^>]*>/g, ''))
      .join('')
      .replaceAll(/[\r\u2028-\u202e]|\u030a|\u0333/g, '');
    expect(read).toContain('com');
    expect(read).not.toMatch(/https?:\/\/|evil\.com/);
  });
});
