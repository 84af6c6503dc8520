import { inspect } from 'node:util';
import { makeChannel } from '../../src/adapters/channels/providers.ts';
import { DeliveryError } from '../../src/hooks/ports/channel.ts';
import type { Channel, OutgoingMessage } from '../../src/hooks/ports/channel.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import type { PlatformSpeech } from '../support/platforms/index.ts';
import type { Script } from '../support/scripted-server.ts';

const never = new AbortController().signal;

export class ChannelUnderTest implements AsyncDisposable {
  readonly channel: Channel;

  private constructor(
    readonly speech: PlatformSpeech,
    readonly server: PlatformServer,
  ) {
    this.channel = makeChannel(speech.provider, speech.settings(server.origin));
  }

  static async open(speech: PlatformSpeech): Promise<ChannelUnderTest> {
    return new ChannelUnderTest(speech, await PlatformServer.start(speech));
  }

  message(over: Partial<OutgoingMessage> = {}): OutgoingMessage {
    return { to: this.speech.to, text: 'Good morning', idempotencyKey: 'delivery-1', ...over };
  }

  send(over: Partial<OutgoingMessage> = {}, signal: AbortSignal = never) {
    return this.channel.send(this.message(over), signal);
  }

  /** The error of a message that is answered so; every one is checked for secrets. */
  async failed(script: Script): Promise<DeliveryError> {
    this.server.nextMessage(script);
    return this.failure(this.send());
  }

  async failure(sending: Promise<unknown>): Promise<DeliveryError> {
    const error: unknown = await sending.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof DeliveryError)) throw new Error(`not a DeliveryError: ${String(error)}`);
    if (error.cause !== undefined) throw new Error('an error may hold secrets in its cause');
    const shown = `${error.message} ${error.stack} ${JSON.stringify(error)}`;
    for (const secret of [this.speech.secret, encodeURIComponent(this.speech.secret)]) {
      if (shown.includes(secret)) throw new Error(`a secret was told: ${error.message}`);
    }
    return error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }
}

export function describeChannel(name: string, speech: PlatformSpeech): void {
  describe(`${name}: the channel contract`, () => {
    let under: ChannelUnderTest;
    beforeEach(async () => (under = await ChannelUnderTest.open(speech)));
    afterEach(() => under[Symbol.asyncDispose]());

    describeSuccess(() => under);
    describeEdits(() => under, speech);
    describeRecipients(() => under, speech);
    describeRefusals(() => under, speech);
    describeMissingAnswers(() => under);
    describeSecrets(() => under);
  });
}

function describeSuccess(under: () => ChannelUnderTest): void {
  it('shows the message and gives its id', async () => {
    const { messageId } = await under().send();
    expect(messageId).toEqual(expect.stringMatching(/./));
    expect(under().server.shown).toMatchObject([{ text: 'Good morning' }]);
    expect(under().server.shown[0]?.to).not.toBe('');
  });

  it('is named as in the configuration', () => {
    expect(under().channel.provider).toBe(under().speech.provider);
  });

  it('says truly whether the platform knows a message that comes twice', async () => {
    const { channel, server, speech } = under();
    await under().send();
    await under().send();
    expect(channel.knowsKeys).toBe(speech.knowsKeys);
    expect(server.shown).toHaveLength(speech.knowsKeys ? 1 : 2);
    await under().send({ idempotencyKey: 'delivery-1:2' });
    expect(server.shown).toHaveLength(speech.knowsKeys ? 2 : 3);
  });

  it('says truly whether a refusal may still follow', () => {
    expect(under().channel.onlyAccepts).toBe(under().speech.refusesLater ?? false);
  });

  it('splits a long text within the platform’s limit, and the platform takes every part', async () => {
    const { channel, server, speech } = under();
    const parts = channel.parts('A line of words, and then the next one.\n\n'.repeat(1500));
    expect(parts.length).toBeGreaterThan(2);
    for (const [n, text] of parts.entries()) {
      expect(text.length).toBeLessThanOrEqual(speech.limit);
      await under().send({ text, idempotencyKey: `delivery-1:${n + 1}` });
    }
    expect(server.shown.map(({ text }) => text)).toEqual(parts);
  });

  it('has nothing to send of a blank text', () => {
    expect(under().channel.parts(' \n ')).toEqual([]);
  });
}

function describeEdits(under: () => ChannelUnderTest, { gone }: PlatformSpeech): void {
  if (gone === undefined) return;

  it('puts a message in the place of a question, twice without harm', async () => {
    const { messageId: replaces } = await under().send({ code: 'code-1' });
    const edit = { replaces, text: 'Good evening', idempotencyKey: 'delivery-2' };
    expect(await under().send(edit)).toEqual({ messageId: replaces });
    await under().send(edit);
    expect(under().server.shown).toMatchObject([{ text: 'Good evening' }]);
  });

  it('refuses it for good where the other one is gone', async () => {
    const { messageId: replaces } = await under().send({ code: 'code-1' });
    under().server.deleted.add(0);
    const error = await under().failure(under().send({ replaces, text: 'Good evening' }));
    expect(error.kind).toBe('permanent');
    expect(under().server.shown).toMatchObject([{ text: 'Good morning' }]);
  });
}

function describeRecipients(under: () => ChannelUnderTest, { unfit }: PlatformSpeech): void {
  it('takes a recipient of its kind', () => {
    expect(under().channel.expectedInsteadOf(under().speech.to)).toBeNull();
  });

  it.each(unfit)('says what it expects instead of the recipient "%s"', (to) => {
    expect(under().channel.expectedInsteadOf(to)).toMatch(/^(?:an? |\w+ )/);
  });
}

function describeRefusals(
  under: () => ChannelUnderTest,
  { refusals, limited, knowsKeys }: PlatformSpeech,
): void {
  it.each(refusals.map((refusal) => [refusal[0], refusal] as const))('%s', async (_, refused) => {
    const [, script, kind, code] = refused;
    const error = await under().failed(script);
    expect(error).toMatchObject({ kind, ...(code !== undefined && { code }) });
    expect(error.message).toMatch(/^\S.{15,}\S$/);
    expect(under().server.shown).toEqual([]);
  });

  it('429 is rate-limited for as long as the platform asks', async () => {
    expect(await under().failed(limited(7))).toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 7000,
    });
  });

  it('429 without a time names none', async () => {
    const error = await under().failed(limited(undefined));
    expect(error.kind).toBe('rate-limited');
    expect(error.retryAfterMs).toBeUndefined();
  });

  // Somebody between us and the platform may say so after the platform has shown it.
  const broken = knowsKeys ? 'retryable' : 'unknown';
  it.each([500, 502, 503])(`%i with a page instead of JSON is ${broken}`, async (status) => {
    const error = await under().failed({ status, body: '<h1>Bad Gateway</h1>' });
    expect(error).toMatchObject({ kind: broken, code: String(status) });
  });

  it('404 without a word of the platform is told as a wrong address', async () => {
    const error = await under().failed({ status: 404, body: '<h1>Not Found</h1>' });
    expect(['permanent', 'auth']).toContain(error.kind);
    expect(error.message).toMatch(
      /^there is nothing of [\w ]+ at this address \(404\), check apiRoot$/,
    );
  });

  it('503 waits as long as the platform asks', async () => {
    const script = { status: 503, headers: { 'retry-after': '9' }, body: 'maintenance' };
    expect(await under().failed(script)).toMatchObject({ kind: broken, retryAfterMs: 9000 });
  });

  it('a redirect is not followed, and the operator is told', async () => {
    const location = `${under().server.origin}/elsewhere`;
    const error = await under().failed({ status: 307, headers: { location }, body: '' });
    expect(error.kind).toBe('permanent');
    expect(error.message).toContain('redirects');
    expect(under().server.requests.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('an answer without end is not read to its end', async () => {
    const error = await under().failed({ status: 400, body: `"${'x'.repeat(30_000_000)}"` });
    expect(error).toMatchObject({ kind: 'permanent', code: '400' });
    expect(await under().server.requests.at(-1)?.closed).toBe('broken');
  });

  it('sends each message once: retries are the outbox’s', async () => {
    await under().failed(limited(1));
    await under().failed({ status: 500, body: '' });
    expect(under().server.asked).toHaveLength(2);
  });
}

function describeMissingAnswers(under: () => ChannelUnderTest): void {
  it.each([
    ['cut off after the request was sent', { cut: 'at-once' }],
    ['cut off in the middle', { cut: 'mid-body' }],
    ['malformed', { body: 'null' }],
    ['a page', { body: '<html></html>' }],
    ['an empty one', { body: '' }],
    ['an unknown object', { body: { hello: 1 } }],
    ['504 from a proxy', { status: 504, body: 'upstream timed out' }],
  ] as const)('an answer that is %s leaves unknown whether it arrived', async (_name, script) => {
    expect((await under().failed(script)).kind).toBe('unknown');
  });

  it('a refused connection is retryable and named: nothing was sent', async () => {
    await under().server.close();
    const error = await under().failure(under().send());
    expect(error).toMatchObject({ kind: 'retryable', code: 'ECONNREFUSED' });
    expect(error.message).toMatch(/ could not be reached: nothing listens there \(ECONNREFUSED\)$/);
  });

  it.each(['at-once', 'mid-body'] as const)(
    'an abort ends an answer that stalls (%s) and rejects with its reason',
    async (stall) => {
      const { server, speech } = under();
      server.nextMessage({ stall });
      const stop = new AbortController();
      const reason = new Error('stopping');
      const sending = under().send({}, stop.signal);
      const { closed } = await server.request(speech.requestsBefore + 1);
      stop.abort(reason);
      await expect(sending).rejects.toBe(reason);
      expect(await closed).toBe('broken');
    },
  );

  it('nothing is sent when the signal has aborted already', async () => {
    const reason = new Error('stopping');
    await expect(under().send({}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(under().server.requests).toEqual([]);
  });
}

function describeSecrets(under: () => ChannelUnderTest): void {
  it('whoever logs a channel logs no secret', async () => {
    const { channel, speech } = under();
    await under().send();
    const logged = `${inspect(channel, { depth: 9, showHidden: true })} ${JSON.stringify(channel)}`;
    expect(logged).not.toContain(speech.secret);
  });

  it.each([200, 400, 401, 404, 500])(
    '%i: repeats no secret that the platform repeats',
    async (status) => {
      const said = `bad token ${under().speech.secret}\nor ${encodeURIComponent(under().speech.secret)}`;
      const body = {
        ok: false,
        error: status === 200 ? said : { code: 1, message: said },
        message: said,
        description: said,
      };
      await expect(under().failed({ status, body })).resolves.toBeInstanceOf(DeliveryError);
    },
  );

  // A cut before a sign would make a name of what was none.
  it.each([
    '@everyone @here @channel @all <!channel> <!here> <@U12345678> <at>Ada</at> @ada',
    ...[0, 1, 2, 3, 4].map((n) => 'y'.repeat(n) + 'x@all'.repeat(20_000)),
    'é＠all'.repeat(20_000),
    '𝒙&commat;all'.repeat(20_000),
  ])('a message that is taken mentions nobody: %.30s', (text) => {
    const { channel, speech } = under();
    const names = /(?<![\p{L}\p{N}\u200b])(?:[@＠]|&commat;)\w|<[!@#]|<at>/u;
    // WhatsApp, Signal and iMessage have no such names; Discord is told to notify nobody.
    const isText = ['whatsapp', 'signal', 'imessage', 'discord'].includes(speech.provider);
    for (const part of channel.parts(text)) expect(isText || !names.test(part)).toBe(true);
  });
}
