import {
  certificatePem,
  deliver,
  isAccepted,
  NOW,
  senderOf,
  verifierFor,
} from '../../../../../test/support/signing-senders.ts';
import { Certificates, schemes } from './index.ts';
import type { KnownCertificate } from '../../../ports/index.ts';
import type { CertificateMemory, FetchCertificate, SignedRequest } from './index.ts';

function host(answer: FetchCertificate = () => Promise.resolve(certificatePem)): {
  asked: string[];
  fetch: FetchCertificate;
  certificates: Certificates;
} {
  const asked: string[] = [];
  const fetch: FetchCertificate = (url) => {
    asked.push(url.href);
    return answer(url);
  };
  return { asked, fetch, certificates: new Certificates(fetch) };
}

const paypal = schemes.get('paypal')!;
const sns = schemes.get('aws-sns')!;

function withCertificate(name: string, now = NOW): SignedRequest {
  const request = deliver(paypal, { ...senderOf(paypal).toSign, now });
  const url = `https://api.paypal.com/v1/notifications/certs/${name}`;
  return { ...request, headers: { ...request.headers, 'paypal-cert-url': url } };
}

describe('certificates', () => {
  it('are fetched once for all that ask meanwhile, and kept for a day', async () => {
    const { asked, certificates } = host();
    const verifier = verifierFor(
      { ...senderOf(paypal).options, toleranceSeconds: 86_400 },
      certificates,
    );
    const request = withCertificate('CERT-1');
    const found = await Promise.all([1, 2, 3].map(() => isAccepted(verifier, request)));
    expect(found).not.toContain(null);
    expect(await isAccepted(verifier, request, NOW + 86_399_000)).not.toBeNull();
    expect(asked).toHaveLength(1);
    expect(await isAccepted(verifier, request, NOW + 86_400_000)).not.toBeNull();
    expect(asked).toHaveLength(2);
  });

  it.each([
    'http://api.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com:8443/v1/notifications/certs/CERT-1',
    'https://user@api.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com/v1/notifications/certs/../../CERT-1',
    'https://api.paypal.com/v1/notifications/certs/CERT-1?x=1',
    'https://api.paypal.com/v1/notifications/certs/CERT-1#x',
    'https://www.paypal.com/v1/notifications/certs/CERT-1',
    'https://evil.test/https://api.paypal.com/v1/notifications/certs/CERT-1',
    'file:///etc/passwd',
    'x',
  ])('are asked for at no other address (%s)', async (url) => {
    const { asked, certificates } = host();
    const verifier = verifierFor(senderOf(paypal).options, certificates);
    const request = withCertificate('CERT-1');
    const headers = { ...request.headers, 'paypal-cert-url': url };
    expect(await verifier.verify({ ...request, headers }, NOW)).toBe('malformed');
    expect(asked).toEqual([]);
  });

  it.each([
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    'https://sns.eu-central-1.amazonaws.com.evil.test/SimpleNotificationService-01.pem',
    'https://s3.eu-central-1.amazonaws.com/SimpleNotificationService-01.pem',
    'https://sns.eu-central-1.amazonaws.com/bucket/SimpleNotificationService-01.pem',
    'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-01.txt',
  ])('of SNS are those of the region of the topic (%s)', async (certificateUrl) => {
    const { asked, certificates } = host();
    const { toSign, options } = senderOf(sns);
    const verifier = verifierFor(options, certificates);
    const request = deliver(sns, { ...toSign, certificateUrl });
    expect(await verifier.verify(request, NOW)).toBe('malformed');
    expect(asked).toEqual([]);
  });

  it('vouch for the address of a confirmation, too, and for no other kind of message in its place', async () => {
    const { toSign, options } = senderOf(sns);
    const fields = {
      Type: 'SubscriptionConfirmation',
      MessageId: 'sns-2',
      Token: '2336412f37',
      Message: 'You have chosen to subscribe.',
      SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription',
    };
    const request = deliver(sns, { ...toSign, body: Buffer.from(JSON.stringify(fields)) });
    const verifier = verifierFor(options);
    expect(await isAccepted(verifier, request)).not.toBeNull();
    for (const value of Object.values(fields)) {
      const text = request.body.toString();
      const flipped = String.fromCharCode((value.codePointAt(1) ?? 0) ^ 1);
      const other = value.slice(0, 1) + flipped + value.slice(2);
      for (const changed of [other, value.toUpperCase(), 'Notification']) {
        const body = Buffer.from(text.replace(`"${value}"`, `"${changed}"`));
        const isSame = body.equals(request.body);
        expect((await isAccepted(verifier, { ...request, body })) !== null).toBe(isSame);
      }
    }
  });

  it('take SHA-1 only where the message says version 1', async () => {
    const { toSign, options } = senderOf(sns);
    const verifier = verifierFor(options);
    const request = deliver(sns, toSign);
    const body = Buffer.from(
      request.body.toString().replace('"SignatureVersion":"2"', '"SignatureVersion":"1"'),
    );
    expect(await verifier.verify({ ...request, body }, NOW)).toBe('mismatch');
  });

  it('count only within their dates', async () => {
    const verifier = verifierFor(senderOf(paypal).options);
    for (const beyond of [Date.UTC(2019, 11, 31), Date.UTC(2120, 0, 2)]) {
      expect(await verifier.verify(withCertificate('CERT-1', beyond), beyond)).toBe('mismatch');
    }
    expect(await isAccepted(verifier, withCertificate('CERT-1'))).not.toBeNull();
  });

  it('make it unavailable while they cannot be had, for seconds, and a mismatch where there is none', async () => {
    const states: (string | null | Error)[] = [
      new Error('503'),
      'no certificate',
      null,
      certificatePem,
    ];
    const { asked, certificates } = host(() => {
      const state = states.shift();
      return state instanceof Error ? Promise.reject(state) : Promise.resolve(state ?? null);
    });
    const verifier = verifierFor(senderOf(paypal).options, certificates);
    const request = withCertificate('CERT-1');
    expect(await verifier.verify(request, NOW)).toBe('unavailable');
    expect(await verifier.verify(request, NOW + 4999)).toBe('unavailable');
    expect(asked).toHaveLength(1);
    expect(await verifier.verify(request, NOW + 5000)).toBe('unavailable');
    expect(await verifier.verify(request, NOW + 10_000)).toBe('mismatch');
    expect(await verifier.verify(request, NOW + 300_000)).toBe('mismatch');
    expect(asked).toHaveLength(3);
    expect(await isAccepted(verifier, request, NOW + 310_000)).not.toBeNull();
  });

  const genuine = withCertificate('CERT-genuine');

  const forged = (name: string, client: string, now = NOW): SignedRequest => ({
    ...genuine,
    client,
    headers: {
      ...genuine.headers,
      'paypal-cert-url': `https://api.paypal.com/v1/notifications/certs/${name}`,
      'paypal-transmission-time': new Date(now).toISOString(),
    },
    body: Buffer.from('{"forged":true}'),
  });

  it('bound what one stranger can make us ask: 5 a minute, 2 at once; others have their own', async () => {
    const { asked, certificates } = host();
    const verifier = verifierFor(senderOf(paypal).options, certificates);
    for (let count = 0; count < 100; count += 1) {
      await verifier.verify(forged(`CERT-${count}`, 'one'), NOW);
    }
    expect(asked).toHaveLength(5);
    expect(await verifier.verify(forged('CERT-new', 'one'), NOW)).toBe('unavailable');
    expect(await isAccepted(verifier, withCertificate('CERT-new'))).not.toBeNull();
    expect(await verifier.verify(forged('CERT-later', 'one'), NOW + 60_000)).toBe('mismatch');

    const slow = host(() => new Promise<never>(() => {}));
    const waiting = verifierFor(senderOf(paypal).options, slow.certificates);
    for (let count = 0; count < 2; count += 1)
      void waiting.verify(forged(`C-${count}`, 'one'), NOW);
    expect(await waiting.verify(forged('C-2', 'one'), NOW)).toBe('unavailable');
    expect(slow.asked).toHaveLength(2);
  });

  it('bound what all strangers can: 60 a minute, 8 at once; whoever was verified before goes on', async () => {
    const { asked, certificates } = host();
    const verifier = verifierFor(senderOf(paypal).options, certificates);
    const known = { ...withCertificate('CERT-known'), client: 'sender' };
    expect(await isAccepted(verifier, known)).not.toBeNull();
    for (let count = 0; count < 100; count += 1) {
      await verifier.verify(forged(`CERT-${count}`, `stranger ${count}`), NOW);
    }
    expect(asked).toHaveLength(60);
    expect(await verifier.verify(forged('CERT-new', 'nobody yet'), NOW)).toBe('unavailable');
    expect(await isAccepted(verifier, known)).not.toBeNull();
    const changed = { ...withCertificate('CERT-changed'), client: 'sender' };
    expect(await isAccepted(verifier, changed)).not.toBeNull();

    const slow = host(() => new Promise<never>(() => {}));
    const waiting = verifierFor(senderOf(paypal).options, slow.certificates);
    for (let count = 0; count < 20; count += 1)
      void waiting.verify(forged(`C-${count}`, `stranger ${count}`), NOW);
    expect(await waiting.verify(forged('C-20', 'stranger 20'), NOW)).toBe('unavailable');
    expect(slow.asked).toHaveLength(8);
  });

  it('leave half of what all strangers can to clients that have asked for none', async () => {
    const { asked, certificates } = host();
    const verifier = verifierFor(senderOf(paypal).options, certificates);
    for (let count = 0; count < 100; count += 1) {
      await verifier.verify(forged(`CERT-${count}`, `stranger ${count % 12}`), NOW);
    }
    expect(asked.length).toBeLessThanOrEqual(30 + 12);
    const first = { ...withCertificate('CERT-first'), client: 'sender' };
    expect(await isAccepted(verifier, first)).not.toBeNull();
  });

  it('are fetched again when their day is over, however many others strangers make us ask for', async () => {
    const { asked, certificates } = host();
    const options = { ...senderOf(paypal).options, toleranceSeconds: 86_400 };
    const verifier = verifierFor(options, certificates);
    const known = withCertificate('CERT-known');
    expect(await isAccepted(verifier, known)).not.toBeNull();
    const later = NOW + 86_400_000;
    for (let count = 0; count < 100; count += 1) {
      await verifier.verify(forged(`CERT-${count}`, `stranger ${count}`, later), later);
    }
    expect(asked).toHaveLength(61);
    expect(await isAccepted(verifier, known, later)).not.toBeNull();
    expect(asked).toHaveLength(62);
  });

  it('count on while their host cannot be asked, and no longer once it says that there is none', async () => {
    let state: string | null | Error = certificatePem;
    const { certificates } = host(() =>
      state instanceof Error ? Promise.reject(state) : Promise.resolve(state),
    );
    const options = { ...senderOf(paypal).options, toleranceSeconds: 86_400 };
    const verifier = verifierFor(options, certificates);
    expect(await isAccepted(verifier, withCertificate('CERT-1'))).not.toBeNull();
    const later = NOW + 86_400_000;
    state = new Error('503');
    expect(await isAccepted(verifier, withCertificate('CERT-1', later), later)).not.toBeNull();
    expect(await verifier.verify(withCertificate('CERT-2', later), later)).toBe('unavailable');
    state = null;
    const again = later + 5000;
    expect(await verifier.verify(withCertificate('CERT-1', again), again)).toBe('mismatch');
  });

  describe('after a restart, with 20 forged requests a second', () => {
    function memory(): CertificateMemory & { readonly kept: Map<string, KnownCertificate> } {
      const kept = new Map<string, KnownCertificate>();
      return {
        kept,
        certificates: async () => [...kept.values()],
        keepCertificate: async (certificate) => void kept.set(certificate.address, certificate),
      };
    }

    async function halfAnHour(
      certificates: Certificates,
      attacker: (count: number) => string,
      sender: string,
    ): Promise<{ accepted: number }> {
      const verifier = verifierFor(senderOf(paypal).options, certificates);
      let accepted = 0;
      for (let count = 0; count < 30 * 60 * 20; count += 1) {
        const now = NOW + count * 50;
        await verifier.verify(forged(`JUNK${count}`, attacker(count), now), now);
        const minute = Math.floor(count / 1200);
        if (count % 1200 !== (minute * 397) % 1200) continue;
        const delivery = { ...withCertificate('CERT-true', now), client: sender };
        if ((await isAccepted(verifier, delivery, now)) !== null) accepted += 1;
      }
      return { accepted };
    }

    it.each<[string, (count: number) => string, string]>([
      ['of one address', () => 'attacker', 'sender'],
      ['of a thousand', (count) => `attacker ${count % 1000}`, 'sender'],
      ['behind the same proxy', () => 'proxy', 'proxy'],
    ])('%s, every genuine delivery is verified', async (_title, attacker, sender) => {
      const ledger = memory();
      const before = host();
      const first = verifierFor(senderOf(paypal).options, new Certificates(before.fetch, ledger));
      expect(await isAccepted(first, withCertificate('CERT-true'))).not.toBeNull();
      expect([...ledger.kept.keys()]).toEqual([
        'https://api.paypal.com/v1/notifications/certs/CERT-true',
      ]);
      const { asked, fetch } = host(async ({ href }) =>
        href.endsWith('/CERT-true') ? certificatePem : null,
      );
      const { accepted } = await halfAnHour(new Certificates(fetch, ledger), attacker, sender);
      expect(accepted).toBe(30);
      expect(asked.filter((address) => address.endsWith('/CERT-true'))).toEqual([]);
      expect(asked.length).toBeLessThanOrEqual(31 * 60);
    });

    it('the first delivery ever has a fetch of its own', async () => {
      const { fetch } = host(async ({ href }) =>
        href.endsWith('/CERT-true') ? certificatePem : null,
      );
      const { accepted } = await halfAnHour(new Certificates(fetch), () => 'attacker', 'sender');
      expect(accepted).toBe(30);
    });

    it('what the ledger cannot tell, or keep, is fetched', async () => {
      const { asked, fetch } = host();
      const broken: CertificateMemory = {
        certificates: () => Promise.reject(new Error('away')),
        keepCertificate: () => Promise.reject(new Error('away')),
      };
      const verifier = verifierFor(senderOf(paypal).options, new Certificates(fetch, broken));
      expect(await isAccepted(verifier, withCertificate('CERT-1'))).not.toBeNull();
      expect(await isAccepted(verifier, withCertificate('CERT-1'))).not.toBeNull();
      expect(asked).toHaveLength(1);
    });
  });

  it('are remembered up to a bound', async () => {
    const { asked, certificates } = host();
    const verifier = verifierFor(senderOf(paypal).options, certificates);
    for (let count = 0; count < 33; count += 1) {
      await verifier.verify({ ...withCertificate(`CERT-${count}`), client: `c${count}` }, NOW);
    }
    await verifier.verify(withCertificate('CERT-32'), NOW);
    expect(asked).toHaveLength(33);
    await verifier.verify(withCertificate('CERT-0'), NOW);
    expect(asked).toHaveLength(34);
  });
});
