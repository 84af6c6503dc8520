import { generateKeyPairSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Certificates, schemes } from '../../src/hooks/http/auth/signatures/index.ts';
import type { SignedRequest, ToSign } from '../../src/hooks/http/auth/signatures/index.ts';
import { Intake } from '../../src/hooks/ports/index.ts';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { Hooks } from '../support/hooks.ts';
import { believes, officialLibraries } from '../support/official-libraries.ts';
import { certificatePem, deliver, NOW, senderOf } from '../support/signing-senders.ts';

/** The senders that sign with a certificate: what is to be fetched comes from here instead of their hosts. */
const SENDERS = [...schemes.values()]
  .filter(({ proofs: [proof] }) => proof?.kind === 'certificate')
  .map((scheme) => [scheme.id, scheme] as const);
const { privateKey: anotherKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Another body with the same CRC-32: a sum that is linear, so that some of 64 letters can always make up for the rest. */
function withSameSum(request: SignedRequest): SignedRequest {
  const write = (changed: bigint): string => {
    const letters = Array.from({ length: 64 }, (_, at) =>
      (changed >> BigInt(at)) & 1n ? 'c' : 'a',
    );
    return JSON.stringify({ state: 'paid a million', letters: letters.join('') });
  };
  const plain = crc32(write(0n));
  /** Sums that can be added, by their highest bit, and the letters that add them. */
  const steps = new Map<number, readonly [sum: number, letters: bigint]>();
  const reduce = (sum: number, letters: bigint): readonly [number, bigint] => {
    const step = steps.get(Math.clz32(sum));
    if (sum === 0 || step === undefined) return [sum, letters];
    return reduce((sum ^ step[0]) >>> 0, letters ^ step[1]);
  };
  for (let at = 0n; at < 64n; at += 1n) {
    const [sum, letters] = reduce((crc32(write(1n << at)) ^ plain) >>> 0, 1n << at);
    if (sum !== 0) steps.set(Math.clz32(sum), [sum, letters]);
  }
  const [left, letters] = reduce((crc32(request.body) ^ plain) >>> 0, 0n);
  expect(left).toBe(0);
  const body = Buffer.from(write(letters));
  expect(crc32(body)).toBe(crc32(request.body));
  return { ...request, body };
}

it('are PayPal and SNS', () => {
  expect(SENDERS.map(([id]) => id)).toEqual(['aws-sns', 'paypal']);
});

describe.each(SENDERS)('a request of %s', (id, scheme) => {
  const address = senderOf(scheme).toSign.certificateUrl;
  let clock: ManualClock;
  let hooks: Hooks;
  let asked: string[];
  let found: () => Promise<string | null>;

  beforeEach(async () => {
    clock = new ManualClock(NOW);
    asked = [];
    found = () => Promise.resolve(certificatePem);
    const fetchCertificate = (url: URL) => {
      asked.push(url.href);
      return found();
    };
    hooks = await Hooks.start({
      clock,
      mappings: mapping(),
      providers: [
        {
          provide: Certificates,
          inject: [Intake],
          useFactory: (intake: Intake) => new Certificates(fetchCertificate, intake),
        },
      ],
    });
  });
  afterEach(() => hooks.close());

  function mapping(): HooksModuleOptions['mappings'] {
    const secrets = ([0, 1] as const).flatMap((which) => senderOf(scheme, which).options.secrets);
    return [{ id, verify: { scheme: id, secrets }, messageTemplate: 'It came.' }];
  }

  function made(which: 0 | 1 | 2 = 0, given: Partial<ToSign> = {}): SignedRequest {
    return deliver(scheme, { ...senderOf(scheme, which).toSign, now: clock.now(), ...given });
  }

  async function send({ headers, body }: SignedRequest): Promise<Response> {
    const given = headers as Record<string, string>;
    const url = `${hooks.url}/hooks/${id}`;
    return fetch(url, { method: 'POST', headers: given, body: body.toString() });
  }

  async function expectRefusal(
    request: SignedRequest,
    status = 401,
    code = 'invalid_signature',
  ): Promise<void> {
    const stored = await hooks.stored();
    const answer = await send(request);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ ok: false, error: expect.any(String), code });
    expect(await hooks.stored()).toBe(stored);
  }

  async function expectAccepted(request: SignedRequest): Promise<unknown> {
    const answer = await send(request);
    const body = (await answer.json()) as { eventId: string };
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect((await hooks.details(body.eventId)).request).toMatchObject({ verifiedBy: id });
    expect(await hooks.stored()).toBe(1);
    return body;
  }

  const changed = (request: SignedRequest, from: string, to: string): SignedRequest => {
    const body = Buffer.from(request.body.toString().replace(from, to));
    expect(body).not.toEqual(request.body);
    return { ...request, body };
  };

  it.each([0, 1] as const)('is stored once when it is for name %i of two', async (which) => {
    const request = made(which);
    const library = officialLibraries[id];
    // PayPal's own verifies nothing: it asks PayPal.
    if (library !== undefined) expect(await believes(library, request, '')).toBe(true);
    await expectAccepted(request);
    expect(asked).toEqual([address]);
  });

  it('is refused with a byte changed, under another key, and where no certificate is', async () => {
    const request = made();
    await expectRefusal(changed(request, 'done', 'gone'));
    await expectRefusal(made(0, { privateKey: anotherKey }));
    expect(asked).toEqual([address]);
    await expectAccepted(request);
    found = () => Promise.resolve(null);
    const elsewhere = address?.replace(/\w(?=(?:\.pem)?$)/, 'x') ?? '';
    await expectRefusal(made(0, { certificateUrl: elsewhere }));
    expect(asked).toEqual([address, elsewhere]);
  });

  it('is refused without a question to anybody when it is old, for somebody else, or leads elsewhere', async () => {
    await expectRefusal(made(0, { now: NOW - 86_401_000 }));
    await expectRefusal(made(0, { now: NOW + 86_401_000 }));
    await expectRefusal(made(0, { certificateUrl: 'https://evil.example/cert.pem' }));
    await expectRefusal(made(0, { certificateUrl: 'http://169.254.169.254/latest/meta-data' }));
    expect(asked).toEqual([]);
    await expectRefusal(made(2));
    expect(asked).toEqual(id === 'paypal' ? [address] : []);
  });

  it('is to be sent again while its certificate cannot be had, and right as soon as it can', async () => {
    const request = made();
    for (const away of ['the host is away', 'no certificate at all']) {
      found = () =>
        away.startsWith('no') ? Promise.resolve(away) : Promise.reject(new Error(away));
      await expectRefusal(request, 503, 'verification_unavailable');
      clock.advance(5000);
    }
    expect(asked).toEqual([address, address]);
    found = () => Promise.resolve(certificatePem);
    await expectAccepted(request);
  });

  it('needs nobody asked after a restart: what verified a request is in the ledger', async () => {
    await expectAccepted(made());
    const kept = await hooks.app.get(Intake).certificates();
    expect(kept).toEqual([{ address, pem: certificatePem, fetchedAt: NOW }]);
    await hooks.close();
    // With its own way to fetch, which a test must not go.
    hooks = await Hooks.start({ clock, mappings: mapping() });
    for (const one of kept) await hooks.app.get(Intake).keepCertificate(one);
    await expectAccepted(made());
  });

  it('is answered as before when it comes again, and vouches for no other body', async () => {
    const request = made();
    const first = await expectAccepted(request);
    const again = { ...request, headers: { ...request.headers, 'idempotency-key': 'another' } };
    for (const copy of [request, again]) {
      const answer = await send(copy);
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(await answer.json()).toEqual(first);
    }
    expect(await hooks.stored()).toBe(1);
    // A field that SNS does not sign, and a sum that PayPal signs instead of the body.
    const forged = id === 'aws-sns' ? changed(request, '"evt_1"', '"evt_2"') : withSameSum(request);
    await expectRefusal(forged, 401, 'signature_reused');
  });
});
