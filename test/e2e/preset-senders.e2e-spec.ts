import { schemes, signRequest } from '../../src/hooks/http/auth/signatures/index.ts';
import type { SignatureScheme } from '../../src/hooks/http/auth/signatures/index.ts';
import { presets } from '../../src/hooks/senders/index.ts';
import { bodyOf, listSamples, readSample } from '../../src/hooks/senders/index.ts';
import type { Sample } from '../../src/hooks/senders/index.ts';
import { Hooks } from '../support/hooks.ts';
import { otherSecret, PUBLIC_URL, senderOf } from '../support/signing-senders.ts';

const SIGNING = [...presets.values()].flatMap(({ id, verify }) => {
  const scheme = schemes.get(verify?.scheme ?? '');
  return scheme === undefined || listSamples(id).length === 0 ? [] : [[id, scheme] as const];
});

let hooks: Hooks;

beforeAll(async () => {
  hooks = await Hooks.start({
    publicUrl: PUBLIC_URL,
    presets: [...presets.keys()],
    mappings: SIGNING.map(([id, scheme]) => ({
      id,
      verify: { secrets: [...senderOf(scheme).options.secrets] },
    })),
  });
});
afterAll(() => hooks.close());

function signed(id: string, scheme: SignatureScheme, given: object = {}) {
  const [event = ''] = listSamples(id);
  const sample = readSample(id, event)!;
  const { toSign } = senderOf(scheme);
  const now = Date.now();
  const body = Buffer.from(bodyOf(atTime(scheme, sample, now)));
  const url = `${PUBLIC_URL}/hooks/${id}`;
  const ready = signRequest(scheme, { ...toSign, body, url, now, ...given });
  return { body: ready.body.toString(), headers: { ...sample.headers, ...ready.headers } };
}

/** Of a sender whose time stands in the body (Linear), with the time of this delivery. */
function atTime({ timestamp }: SignatureScheme, sample: Sample, now: number): Sample {
  if (timestamp === undefined || !('field' in timestamp.at)) return sample;
  expect(timestamp.unit).toBe('ms');
  return { ...sample, body: { ...(sample.body as object), [timestamp.at.field]: now } };
}

/** Without the hook token, which these senders cannot send. */
function post(id: string, body: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${hooks.url}/hooks/${id}`, { method: 'POST', headers, body });
}

describe('a preset with a secret takes what its sender signs', () => {
  it.each(SIGNING)('%s', async (id, scheme) => {
    const { body, headers } = signed(id, scheme);
    const answer = await post(id, body, headers);
    expect(answer.status).toBe(200);
    const { eventId } = (await answer.json()) as { eventId: string };
    const details = await hooks.ended(eventId);
    expect(details).toMatchObject({ status: 'done', request: { verifiedBy: scheme.id } });
    expect(details.runs[0]?.prompt).toContain(`Sender verified by: ${scheme.id}`);
    const again = await post(id, body, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    await again.text();
  });
});

describe('and nothing else', () => {
  it.each(SIGNING)('%s', async (id, scheme) => {
    const before = await hooks.stored();
    const { toSign, options } = senderOf(scheme);
    const [secret = ''] = options.secrets;
    const { body, headers } = signed(id, scheme);
    const wrong = toSign.privateKey === undefined ? otherSecret(scheme, secret) : undefined;
    const requests: [string, Record<string, string>][] = [
      [body, readSample(id, listSamples(id)[0]!)!.headers],
    ];
    if (wrong !== undefined) {
      const other = signed(id, scheme, { secret: wrong });
      requests.push([other.body, other.headers]);
    }
    // What only shows a secret says nothing of the body.
    if (scheme.proofs.some(({ kind }) => kind === 'signature')) {
      requests.push([body.replace('e', 'a'), headers]);
    }
    for (const [sent, withHeaders] of requests) {
      const type = { 'content-type': 'application/json' };
      const answer = await post(id, sent, { ...type, ...withHeaders });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ ok: false, code: 'invalid_signature' });
    }
    expect(await hooks.stored()).toBe(before);
  });
});

describe('a sender that asks first', () => {
  const ask = async (id: string, question: object) => {
    const scheme = schemes.get(id)!;
    const body = Buffer.from(JSON.stringify(question));
    const ready = signed(id, scheme, { body });
    const answer = await post(id, ready.body, ready.headers);
    return { status: answer.status, text: await answer.text() };
  };

  it('Slack is told its challenge, and Discord that we are there; neither is an event', async () => {
    const before = await hooks.stored();
    const { status, text } = await ask('slack', {
      token: 'x',
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
      type: 'url_verification',
    });
    expect(status).toBe(200);
    expect(text).toContain('3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P');
    const pong = await ask('discord', { id: '1', application_id: '2', type: 1, version: 1 });
    expect([pong.status, JSON.parse(pong.text)]).toEqual([200, { type: 1 }]);
    expect(await hooks.stored()).toBe(before);
  });
});

describe('what a sender says twice is one run', () => {
  const TOKENS = { presets: ['slack', 'zendesk'] };

  it('the two events of a new ticket of Zendesk, in either order', async () => {
    const own = await Hooks.start(TOKENS);
    for (const [name, first] of [
      ['a', 'ticket.created'],
      ['b', 'ticket.comment_added'],
    ] as const) {
      const events = ['ticket.created', 'ticket.comment_added'].map((event) => {
        const body = structuredClone(readSample('zendesk', event)!.body) as {
          id: string;
          event: { meta: { sequence: { id: string } } };
        };
        body.id += name;
        body.event.meta.sequence.id = `sequence-${name}`;
        return { event, body };
      });
      const inOrder = first === 'ticket.created' ? events : events.toReversed();
      const answers = [];
      for (const { body } of inOrder) answers.push(await own.post('/zendesk', body));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
        null,
        'true',
      ]);
      for (const answer of answers) await answer.text();
    }
    expect(await own.stored()).toBe(2);
    await own.close();
  });

  it('nothing at all of what a bot says to Slack', async () => {
    const own = await Hooks.start(TOKENS);
    const body = structuredClone(readSample('slack', 'message.im')!.body) as {
      event: Record<string, unknown>;
    };
    Object.assign(body.event, { bot_id: 'B0MDYCDMF', user: 'U0LAN0Z89', subtype: undefined });
    const answer = await own.ask('/slack', body);
    expect(answer).toMatchObject({ status: 200, ok: true, skipped: true });
    expect((await own.ended(answer['eventId'])).runs).toEqual([]);
    expect(own.runner.turns).toEqual([]);
    await own.close();
  });
});
