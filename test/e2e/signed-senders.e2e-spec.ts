import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  Certificates,
  coversBody,
  customize,
  isIdSigned,
  schemes,
  signRequest,
} from '../../src/hooks/http/auth/signatures/index.ts';
import type { SignatureScheme, SignedRequest } from '../../src/hooks/http/auth/signatures/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { Hooks } from '../support/hooks.ts';
import { openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import {
  deliver,
  otherSecret,
  PUBLIC_URL,
  published,
  senderOf,
} from '../support/signing-senders.ts';

const providers = [{ provide: Certificates, useFactory: () => new Certificates(published) }];

const senders = [...schemes.values()].filter(
  ({ proofs: [proof] }) => proof !== undefined && proof.kind !== 'certificate',
);

const FROM_FILE = 'a-secret-of-good-length';

const OWN = {
  scheme: 'hmac',
  header: 'X-Own-Tag',
  hash: 'sha512',
  encoding: 'base64',
  prefix: 'v1:',
} as const;

describe('Every sender that signs', () => {
  let ingress: Ingress;

  beforeAll(async () => {
    ingress = await openIngress({
      options: {
        providers,
        publicUrl: PUBLIC_URL,
        mappings: [
          ...senders.map((scheme) => {
            const { secrets } = senderOf(scheme).options;
            const both = [...secrets.map((secret) => otherSecret(scheme, secret)), ...secrets];
            return {
              id: scheme.id,
              verify: { scheme: scheme.id, secrets: both },
              messageTemplate: 'x',
            };
          }),
          { id: 'own', verify: { ...OWN, secrets: ['a-secret-of-its-own'] }, messageTemplate: 'x' },
        ],
      },
    });
  });
  afterEach(() => void ingress.intake.requests.splice(0));
  afterAll(() => ingress.close());

  function send(scheme: SignatureScheme, edit: (body: string) => string = (body) => body) {
    const { toSign } = senderOf(scheme);
    const now = ingress.clock.now();
    const body = Buffer.from(toSign.body.toString().replaceAll(String(toSign.now), String(now)));
    const url = `${PUBLIC_URL}/hooks/${scheme.id}`;
    const request = deliver(scheme, { ...toSign, now, body, url });
    const headers = request.headers as Record<string, string>;
    return ingress.post(request.url, edit(request.body.toString()), headers);
  }

  it.each(senders.map((scheme) => [scheme.id, scheme] as const))(
    '%s: 200 for the second of its secrets, 401 for a changed byte or another sender',
    async (id, scheme) => {
      expect((await send(scheme)).status).toBe(200);
      expect(ingress.intake.requests).toEqual([expect.objectContaining({ verifiedBy: id })]);
      ingress.intake.requests.splice(0);

      const { proofs } = scheme;
      const isTemplate = proofs[0]?.kind === 'signature' && 'header' in proofs[0].at;
      const changed = await send(scheme, (body) => body.replace('done', 'gone'));
      const isCovered = isTemplate || (proofs[0]?.kind === 'jwt' && coversBody(scheme));
      expect(changed.status).toBe(isCovered ? 401 : 200);
      expect(ingress.intake.requests).toHaveLength(isCovered ? 0 : 1);
      ingress.intake.requests.splice(0);

      const unsigned = await ingress.post(`/hooks/${id}`, '{}', {});
      expect(unsigned.status).toBe(401);
      expect(await unsigned.json()).toMatchObject({ code: 'invalid_signature' });
      expect(ingress.intake.requests).toEqual([]);
    },
  );

  it('a sender that nobody listed: its header, hash, encoding and prefix', async () => {
    const row = customize(schemes.get('hmac')!, OWN);
    const body = Buffer.from('{"a":1}');
    const now = ingress.clock.now();
    const { headers } = signRequest(row, { secret: 'a-secret-of-its-own', body, now });
    expect(headers['x-own-tag']).toMatch(/^v1:/);
    expect((await ingress.post('/hooks/own', '{"a":1}', headers)).status).toBe(200);
    ingress.intake.requests.splice(0);
    expect((await ingress.post('/hooks/own', '{"a":2}', headers)).status).toBe(401);
    expect(ingress.intake.requests).toEqual([]);
  });

  it('Discord: a ping is answered, an event of the same type is one', async () => {
    const discord = schemes.get('discord')!;
    const { toSign } = senderOf(discord);
    const now = ingress.clock.now();
    const ask = (text: string) => {
      const request = deliver(discord, { ...toSign, now, body: Buffer.from(text) });
      return ingress.post('/hooks/discord', text, request.headers as Record<string, string>);
    };
    const ping = await ask('{"type":1,"id":"1"}');
    expect([ping.status, await ping.json()]).toEqual([200, { type: 1 }]);
    expect((await ask('{"type":0}')).status).toBe(204);
    expect(ingress.intake.requests).toEqual([]);
    expect((await ask('{"type":1,"event":{"type":"ENTITLEMENT_CREATE"}}')).status).toBe(200);
    expect(ingress.intake.requests).toHaveLength(1);
  });
});

/** What docs/security.md says of copies, under its table, for what a sender of each row proves with. */
describe('A copy of what a sender sent', () => {
  const isShown = ({ proofs: [proof] }: SignatureScheme) =>
    proof?.kind === 'secret' ||
    proof?.kind === 'basic' ||
    (proof?.kind === 'jwt' && proof.bodyClaim === undefined);
  const rows = senders.map((scheme) => [scheme.id, scheme] as const);
  const showing = rows.filter(([, scheme]) => isShown(scheme));
  const signing = rows.filter(([, scheme]) => !isShown(scheme));
  const timed = signing.filter(([, { timestamp }]) => timestamp !== undefined);
  /** Shorter than any signed time is good for. */
  const KEPT_MS = 36_000;
  let clock: ManualClock;
  let hooks: Hooks;

  beforeAll(async () => {
    clock = new ManualClock();
    hooks = await Hooks.start({
      clock,
      providers,
      publicUrl: PUBLIC_URL,
      idempotencyHours: KEPT_MS / 3_600_000,
      mappings: senders.map((scheme) => ({
        id: scheme.id,
        verify: { scheme: scheme.id, secrets: [...senderOf(scheme).options.secrets] },
        messageTemplate: 'It came.',
      })),
    });
  });
  afterAll(() => hooks.close());

  /** @param ahead how far the sender's clock is ahead of ours, in milliseconds */
  function signed(scheme: SignatureScheme, ahead = 0): SignedRequest {
    const { toSign } = senderOf(scheme);
    const now = clock.now() + ahead;
    const body = Buffer.from(toSign.body.toString().replaceAll(String(toSign.now), String(now)));
    return deliver(scheme, { ...toSign, now, body, url: `${PUBLIC_URL}/hooks/${scheme.id}` });
  }

  const idHeaders = ({ deliveryId }: SignatureScheme): readonly string[] =>
    deliveryId !== undefined && 'headers' in deliveryId ? deliveryId.headers : [];

  /** `stored`: how many events came of it; `as`: the event that it was taken for a repeat of. */
  async function send({ url, headers, body }: SignedRequest) {
    const before = await hooks.stored();
    const answer = await fetch(hooks.url + url, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: body.toString(),
    });
    const { code, eventId } = (await answer.json()) as { code?: string; eventId?: string };
    const isRepeat = answer.headers.get('idempotent-replayed') === 'true';
    const outcome = isRepeat ? { as: eventId } : code === undefined ? { eventId } : { code };
    return { status: answer.status, stored: (await hooks.stored()) - before, ...outcome };
  }

  const NEW = { status: 200, stored: 1, eventId: expect.any(String) };

  /** Sends what must be an event, and says what a repeat of it is answered. */
  async function sendFirst(request: SignedRequest) {
    const first = await send(request);
    expect(first).toEqual(NEW);
    return { status: 200, stored: 0, as: 'eventId' in first ? first.eventId : undefined };
  }

  it.each(signing)(
    '%s: is a repeat, whatever it has of what is not signed',
    async (_id, scheme) => {
      const first = signed(scheme);
      const repeat = await sendFirst(first);
      const unsigned = isIdSigned(scheme) ? [] : idHeaders(scheme);
      for (const name of [...unsigned, 'x-request-uuid', 'idempotency-key']) {
        const headers = { ...first.headers, [name]: 'another' };
        expect(await send({ ...first, headers })).toEqual(repeat);
      }
      expect(await send(first)).toEqual(repeat);
      if (!coversBody(scheme)) {
        const body = Buffer.from(first.body.toString().replace('done', 'gone'));
        const reused = { status: 401, stored: 0, code: 'signature_reused' };
        expect(await send({ ...first, body })).toEqual(reused);
      }
      clock.advance(KEPT_MS);
      // Good for ever: known for as long as keys are kept. Signed with a time: for as long as that is good.
      expect(await send(first)).toEqual(scheme.timestamp === undefined ? NEW : repeat);
    },
  );

  it.each(timed)('%s: is a repeat until its time is over, then refused', async (_id, scheme) => {
    const limitMs = (scheme.timestamp?.toleranceSeconds ?? 0) * 1000;
    // The most that a sender's clock may be ahead.
    const first = signed(scheme, limitMs);
    const repeat = await sendFirst(first);
    clock.advance(2 * limitMs - 1);
    expect(await send(first)).toEqual(repeat);
    clock.advance(1);
    expect(await send(first)).toEqual(repeat);
    clock.advance(1000);
    expect(await send(first)).toEqual({ status: 401, stored: 0, code: 'invalid_signature' });
  });

  it.each(showing)('%s: is known by its id alone, and vouches for nothing', async (_id, scheme) => {
    const first = signed(scheme);
    const repeat = await sendFirst(first);
    expect(await send(first)).toEqual(scheme.deliveryId === undefined ? NEW : repeat);
    const headers = { ...first.headers };
    for (const name of idHeaders(scheme)) headers[name] = 'another';
    const body = Buffer.from(first.body.toString().replace('done', 'gone'));
    expect(await send({ ...first, headers, body })).toEqual(NEW);
  });

  it('is a repeat also where its body comes as late as it may', async () => {
    const stripe = schemes.get('stripe')!;
    const { url, headers, body } = signed(stripe, 290_000);
    const { as } = await sendFirst({ method: 'POST', url, headers, body });
    const before = await hooks.stored();
    clock.advance(589_000);
    const asked = { method: 'POST', headers: { ...headers, expect: '100-continue' } };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const slow = request(hooks.url + url, asked, resolve).on('error', reject);
      // Whoever is asked to go on was fresh when it began.
      slow.on('continue', () => {
        clock.advance(20_000);
        slow.end(body);
      });
      slow.flushHeaders();
    });
    expect(answer.headers['idempotent-replayed']).toBe('true');
    expect(await json(answer)).toMatchObject({ eventId: as });
    expect(await hooks.stored()).toBe(before);
  });
});

it.each([`${FROM_FILE}\n`, `${FROM_FILE}\r\n`, `\uFEFF${FROM_FILE}`])(
  'A secret and a token are known as %j, with what a file adds',
  async (text) => {
    const hooks = await Hooks.start({
      token: text,
      mappings: [
        { id: 'own', verify: { scheme: 'github', secrets: [text] } },
        { id: 'shared', verify: { scheme: 'github', senders: [{ id: 'acme', secrets: [text] }] } },
        { id: 'open' },
      ],
    });
    try {
      const body = { action: 'opened' };
      const tag = createHmac('sha256', FROM_FILE).update(JSON.stringify(body)).digest('hex');
      const headers = { authorization: '', 'x-hub-signature-256': `sha256=${tag}` };
      expect((await hooks.post('/own', body, headers)).status).toBe(200);
      expect((await hooks.post('/shared', body, headers)).status).toBe(200);
      const bearer = { authorization: `Bearer ${FROM_FILE}` };
      expect((await hooks.post('/open', body, bearer)).status).toBe(200);
    } finally {
      await hooks.close();
    }
  },
);
