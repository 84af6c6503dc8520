import { believes, officialLibraries } from '../../../../../test/support/official-libraries.ts';
import {
  deliver,
  isAccepted,
  otherSecret,
  PUBLIC_URL,
  senderOf,
  TARGET,
  verifierFor,
} from '../../../../../test/support/signing-senders.ts';
import { schemes } from './index.ts';
import type { SignedRequest } from './index.ts';

/** The verifiers of the providers know no clock but the machine's. */
const NOW = Date.now();
const ID = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';

describe.each(Object.entries(officialLibraries))('%s and its own library', (id, library) => {
  const scheme = schemes.get(id)!;
  const sender = senderOf(scheme);
  const [key = ''] = sender.options.secrets;
  // Linear has its time in the body.
  const timely = sender.toSign.body.toString().replaceAll(String(sender.toSign.now), String(NOW));
  const body = Buffer.from(timely);
  const request = deliver(scheme, { ...sender.toSign, body, now: NOW, id: ID });

  it('agree on what we sign, on a changed byte of it, and on another secret', async () => {
    const body = Buffer.from(request.body.toString().replace('done', 'gone'));
    const verifier = verifierFor(sender.options);
    expect(await believes(library, request, key)).toBe(true);
    expect(await isAccepted(verifier, request, NOW)).not.toBeNull();
    expect(await believes(library, { ...request, body }, key)).toBe(false);
    expect(await verifier.verify({ ...request, body }, NOW)).toBe('mismatch');
    // The key of SNS is its certificate's; what the operator names is the topic.
    const isKeyed = id !== 'aws-sns';
    expect(await believes(library, request, otherSecret(scheme, key))).toBe(!isKeyed);
  });
});

const signers = Object.entries(officialLibraries).filter(([, library]) => 'sign' in library);

describe.each(signers)('a request that the library of %s signed', (id, library) => {
  const scheme = schemes.get(id)!;
  const { toSign, options } = senderOf(scheme);
  const { body, secret } = toSign;
  const unsigned = { body: body.toString(), secret, at: NOW, id: ID, url: PUBLIC_URL + TARGET };
  const request = async (): Promise<SignedRequest> => ({
    method: 'POST',
    url: TARGET,
    headers: (await library.sign?.(unsigned)) ?? {},
    body,
  });

  it('is right, with a second secret as well; changed, by another secret or stale it is not', async () => {
    const signed = await request();
    const other = otherSecret(scheme, secret);
    const verifier = verifierFor({ ...options, secrets: [other, secret] });
    expect(await isAccepted(verifier, signed, NOW)).not.toBeNull();
    const changed = Buffer.from(body.toString().replace('done', 'gone'));
    expect(await verifier.verify({ ...signed, body: changed }, NOW)).toBe('mismatch');
    expect(await verifierFor({ ...options, secrets: [other] }).verify(signed, NOW)).toBe(
      'mismatch',
    );
    const later = await verifier.verify(signed, NOW + 302_000);
    expect(later === 'stale').toBe(scheme.timestamp !== undefined);
  });
});
