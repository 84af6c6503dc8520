import {
  certificatePem,
  deliver,
  isAccepted,
  NOW,
  senderOf,
  TOPIC,
  verifierFor,
} from '../../../../../test/support/signing-senders.ts';
import { Certificates, schemes } from './index.ts';
import type { FetchCertificate, SignedRequest } from './index.ts';

/** A host that counts who asks, and answers as it is told. */
function host(answer: FetchCertificate = () => Promise.resolve(certificatePem)): {
  asked: string[];
  certificates: Certificates;
} {
  const asked: string[] = [];
  const certificates = new Certificates((url) => {
    asked.push(url.href);
    return answer(url);
  });
  return { asked, certificates };
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

  it('are not asked for where the topic is somebody else’s, or the time is over', async () => {
    const { asked, certificates } = host();
    const { toSign, options } = senderOf(sns);
    const verifier = verifierFor(options, certificates);
    const other = deliver(sns, { ...toSign, secret: TOPIC.replace('builds', 'theirs') });
    expect(await verifier.verify(other, NOW)).toBe('mismatch');
    expect(await verifier.verify(deliver(sns, toSign), NOW + 86_402_000)).toBe('stale');
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

  it('bound what a stranger can make us ask: 30 a minute, 4 at once; known ones go on', async () => {
    const { asked, certificates } = host();
    const verifier = verifierFor(senderOf(paypal).options, certificates);
    const known = withCertificate('CERT-known');
    expect(await isAccepted(verifier, known)).not.toBeNull();
    for (let count = 0; count < 100; count += 1) {
      await verifier.verify(withCertificate(`CERT-${count}`), NOW);
    }
    expect(asked).toHaveLength(30);
    expect(await verifier.verify(withCertificate('CERT-new'), NOW)).toBe('unavailable');
    expect(await isAccepted(verifier, withCertificate('CERT-new'), NOW + 60_000)).not.toBeNull();

    const slow = host(() => new Promise<never>(() => {}));
    const waiting = verifierFor(senderOf(paypal).options, slow.certificates);
    for (let count = 0; count < 4; count += 1)
      void waiting.verify(withCertificate(`C-${count}`), NOW);
    expect(await waiting.verify(withCertificate('C-4'), NOW)).toBe('unavailable');
    expect(slow.asked).toHaveLength(4);
  });

  it('are fetched again when their day is over, however many others strangers make us ask for', async () => {
    const { asked, certificates } = host();
    const options = { ...senderOf(paypal).options, toleranceSeconds: 86_400 };
    const verifier = verifierFor(options, certificates);
    const known = withCertificate('CERT-known');
    expect(await isAccepted(verifier, known)).not.toBeNull();
    const later = NOW + 86_400_000;
    for (let count = 0; count < 31; count += 1) {
      await verifier.verify(withCertificate(`CERT-${count}`, later), later);
    }
    expect(asked).toHaveLength(31);
    expect(await isAccepted(verifier, known, later)).not.toBeNull();
    expect(asked).toHaveLength(32);
  });

  it('are remembered up to a bound', async () => {
    const { asked, certificates } = host();
    const verifier = verifierFor(senderOf(paypal).options, certificates);
    for (let count = 0; count < 33; count += 1) {
      await verifier.verify(withCertificate(`CERT-${count}`), NOW + (count > 20 ? 60_000 : 0));
    }
    await verifier.verify(withCertificate('CERT-32'), NOW + 60_000);
    expect(asked).toHaveLength(33);
    await verifier.verify(withCertificate('CERT-0'), NOW + 60_000);
    expect(asked).toHaveLength(34);
  });
});
