import { coveredHeaders } from '../../../../../test/support/covered-headers.ts';
import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import {
  deliver,
  isAccepted,
  NOW,
  otherSecret,
  PUBLIC_URL,
  senderOf,
  TARGET,
  verifierFor,
} from '../../../../../test/support/signing-senders.ts';
import { isCredentialField } from '../../../../platform/credentials.ts';
import { coversBody, isIdSigned, schemes, signsBodyAlone } from './index.ts';
import type { SignatureScheme, SignedRequest } from './index.ts';

const signing = [...schemes.values()].filter(({ proofs }) => proofs.length > 0);

const proving = signing.flatMap((scheme) =>
  scheme.proofs.map((proof) => {
    const place = 'at' in proof && 'header' in proof.at ? proof.at.header : proof.kind;
    return [`${scheme.id} by ${place}`, { ...scheme, proofs: [proof] }] as const;
  }),
);

function flip(bytes: Uint8Array, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

function flippedTexts(text: string): string[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: bytes.length * 8 }, (_, bit) => flip(bytes, bit))
    .map((changed) => changed.toString('latin1'))
    .filter((changed) => /^[\x20-\x7e]+$/.test(changed) && changed.trim() === changed);
}

function flippedSignatures(text: string, encoding: BufferEncoding): string[] {
  const bytes = Buffer.from(text, encoding);
  return Array.from({ length: bytes.length * 8 }, (_, bit) => flip(bytes, bit).toString(encoding));
}

function withFlippedSignature(scheme: SignatureScheme, request: SignedRequest): SignedRequest[] {
  const [proof] = scheme.proofs;
  if (proof === undefined || proof.kind === 'basic' || proof.kind === 'secret') return [];
  const { at } = proof;
  const holder = 'header' in at ? String(request.headers[at.header]) : request.body.toString();
  const encoding =
    proof.kind === 'jwt' ? 'base64url' : proof.kind === 'certificate' ? 'base64' : proof.encoding;
  const signature =
    proof.kind === 'jwt'
      ? (holder.split('.')[2] ?? '')
      : 'header' in at
        ? (/(?:[hv]\d[=,]|^[\w-]*=|^HMAC |^)([\w+/-]{20,}={0,2})$/.exec(holder)?.[1] ?? '')
        : (/"[Ss]ignature":"([^"]+)"/.exec(holder)?.[1] ?? '');
  expect(signature.length).toBeGreaterThan(20);
  return flippedSignatures(signature, encoding).map((changed) => {
    const text = holder.replace(signature, () => changed);
    return 'header' in at
      ? { ...request, headers: { ...request.headers, [at.header]: text } }
      : { ...request, body: Buffer.from(text) };
  });
}

function withFlippedCompanions(scheme: SignatureScheme, request: SignedRequest): SignedRequest[] {
  const {
    proofs: [proof],
    timestamp,
  } = scheme;
  if (proof === undefined || !('at' in proof) || !('header' in proof.at)) return [];
  const { header } = proof.at;
  const holder = String(request.headers[header]);
  const changed: string[] = [];
  if (proof.kind === 'jwt') {
    const parts = holder.split('.');
    for (const at of [0, 1]) {
      const others = flippedSignatures(parts[at] ?? '', 'base64url');
      changed.push(...others.map((other) => parts.with(at, other).join('.')));
    }
  }
  if (timestamp !== undefined && 'item' in timestamp.at) {
    const item = `${timestamp.at.item}=`;
    const others = flippedTexts(String(NOW / 1000));
    changed.push(...others.map((other) => holder.replace(item + NOW / 1000, item + other)));
  }
  expect(changed).not.toContain(holder);
  return changed.map((text) => ({ ...request, headers: { ...request.headers, [header]: text } }));
}

function signedFields({ proofs: [proof] }: SignatureScheme): string[] {
  if (proof?.kind === 'certificate' && typeof proof.signed !== 'string') {
    return [...(proof.signed['Notification'] ?? [])];
  }
  if (proof?.kind !== 'signature') return [];
  return [...proof.signed.matchAll(/\{field:(?:\w+\.)?([^}]+)\}/g)].map(([, name = '']) => name);
}

async function acceptedOf(
  scheme: SignatureScheme,
  requests: readonly SignedRequest[],
): Promise<SignedRequest[]> {
  const verifier = verifierFor(senderOf(scheme).options);
  const accepted: SignedRequest[] = [];
  for (const request of requests) {
    if ((await isAccepted(verifier, request)) !== null) accepted.push(request);
  }
  return accepted;
}

describe.each(proving)('%s', (_name, scheme) => {
  const sender = senderOf(scheme);
  const request = deliver(scheme, sender.toSign);

  it('accepts what its sender signs, by the second secret too, and says what that proves', async () => {
    const found = await isAccepted(verifierFor(sender.options), request);
    const [first] = scheme.proofs;
    const isPlain =
      ['secret', 'basic'].includes(first?.kind ?? '') ||
      (first?.kind === 'jwt' && first.bodyClaim === undefined);
    const hasId = scheme.deliveryId !== undefined;
    expect(found?.scheme).toBe(scheme.id);
    expect(found?.coversBody).toBe(coversBody(scheme));
    expect(found?.deliveryId?.isSigned).toBe(hasId ? isIdSigned(scheme) : undefined);
    expect(found?.signedDigest?.length).toBe(isPlain ? undefined : 44);
    const isOfBody = found?.signedDigest === hash('sha256', request.body, 'base64');
    expect(isOfBody).toBe(signsBodyAlone(scheme));
    const [secret = ''] = sender.options.secrets;
    const other = otherSecret(scheme, secret);
    const both = verifierFor({ ...sender.options, secrets: [other, secret] });
    expect(await isAccepted(both, request)).toEqual(found);
    const senders = [
      { id: 'zeta', secrets: [other] },
      { id: 'acme', secrets: [secret] },
    ];
    expect(
      await isAccepted(verifierFor({ ...sender.options, secrets: [], senders }), request),
    ).toEqual({ ...found, sender: 'acme' });
    const own = verifierFor({ ...sender.options, senders: senders.slice(0, 1) });
    expect(await isAccepted(own, request)).toEqual(found);
    expect(
      await isAccepted(verifierFor({ ...sender.options, secrets: [other] }), request),
    ).toBeNull();
  });

  it('refuses a changed bit of the signature', async () => {
    expect(await acceptedOf(scheme, withFlippedSignature(scheme, request))).toEqual([]);
  });

  it('refuses a changed bit of the secret', async () => {
    const [secret = ''] = sender.options.secrets;
    const [proof] = scheme.proofs;
    const encoding =
      proof?.kind !== 'signature'
        ? 'latin1'
        : proof.algorithm === 'ed25519'
          ? 'hex'
          : proof.algorithm === 'ecdsa-sha256' || proof.secretForm === 'base64'
            ? 'base64'
            : 'latin1';
    const accepted: string[] = [];
    for (const changed of flippedSignatures(secret, encoding)) {
      let verifier;
      try {
        verifier = verifierFor({ ...sender.options, secrets: [changed] });
      } catch {
        continue; // No key at all.
      }
      if ((await isAccepted(verifier, request)) !== null) accepted.push(changed);
    }
    expect(accepted).toEqual([]);
  });

  it('refuses a changed bit of the headers that it covers', async () => {
    const requests = coveredHeaders(scheme).flatMap((name) =>
      flippedTexts(String(request.headers[name])).map((text) => ({
        ...request,
        headers: { ...request.headers, [name]: text },
      })),
    );
    expect(await acceptedOf(scheme, requests)).toEqual([]);
  });

  it('refuses a changed bit of what else stands in the header of the signature', async () => {
    expect(await acceptedOf(scheme, withFlippedCompanions(scheme, request))).toEqual([]);
  });

  it('refuses a changed bit of the body, or of its signed fields', async () => {
    const { body } = request;
    const isSummed = scheme.id === 'paypal';
    const fields = signedFields(scheme);
    const requests: SignedRequest[] = [];
    if ((coversBody(scheme) && scheme.body !== 'form') || isSummed) {
      for (let bit = 0; bit < body.length * 8; bit += 1) {
        requests.push({ ...request, body: flip(body, bit) });
      }
    }
    for (const name of fields) {
      const text = body.toString();
      const start = text.lastIndexOf(`"${name}":"`) + name.length + 4;
      const end = text.indexOf('"', start);
      for (const changed of flippedTexts(text.slice(start, end))) {
        const other = JSON.stringify(changed).slice(1, -1);
        requests.push({
          ...request,
          body: Buffer.from(text.slice(0, start) + other + text.slice(end)),
        });
      }
    }
    expect(await acceptedOf(scheme, requests)).toEqual([]);
  });
});

const timed = signing.filter(({ timestamp }) => timestamp !== undefined);

describe.each(timed.map((scheme) => [scheme.id, scheme] as const))('%s', (_id, scheme) => {
  const sender = senderOf(scheme);
  const request = deliver(scheme, sender.toSign);

  it('refuses what is too old, and what is too new', async () => {
    const tolerance = (scheme.timestamp?.toleranceSeconds ?? 0) * 1000;
    const verifier = verifierFor(sender.options);
    for (const side of [tolerance, -tolerance]) {
      expect(await isAccepted(verifier, request, NOW + side)).not.toBeNull();
      const beyond = NOW + side + Math.sign(side) * 1001;
      expect(await verifier.verify(request, beyond)).toBe('stale');
    }
    const patient = verifierFor({ ...sender.options, toleranceSeconds: 86_400 });
    expect(await isAccepted(patient, request, NOW + 86_399_000)).not.toBeNull();
  });
});

describe('what a row covers', () => {
  it('includes the URL where the sender signs it', async () => {
    for (const id of ['twilio', 'square', 'trello']) {
      const scheme = schemes.get(id)!;
      const request = deliver(scheme, senderOf(scheme).toSign);
      const requests = flippedTexts(TARGET).map((url) => ({ ...request, url }));
      expect(await acceptedOf(scheme, requests)).toEqual([]);
      expect(requests.length).toBeGreaterThan(50);
    }
  });

  it('includes the parameters of a form, whatever their order', async () => {
    const scheme = schemes.get('twilio')!;
    const { toSign, options } = senderOf(scheme);
    const request = deliver(scheme, toSign);
    const verifier = verifierFor(options);
    const meaning = (body: Buffer): string =>
      [...new URLSearchParams(body.toString())]
        .map((parameter) => JSON.stringify(parameter))
        .toSorted()
        .join();
    for (let bit = 0; bit < request.body.length * 8; bit += 1) {
      const body = flip(request.body, bit);
      const isRight = (await isAccepted(verifier, { ...request, body })) !== null;
      // `%C3` and `%c3` are the same letter; everything else is another form.
      expect([isRight, body.toString()]).toEqual([
        meaning(body) === meaning(request.body),
        body.toString(),
      ]);
    }
    const turned = Buffer.from(request.body.toString().split('&').toReversed().join('&'));
    expect(await isAccepted(verifier, { ...request, body: turned })).not.toBeNull();
  });

  it('includes any bytes that a body can be made of', async () => {
    const scheme = schemes.get('github')!;
    const { toSign, options } = senderOf(scheme);
    const verifier = verifierFor(options);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.nat(),
        async (bytes, nat) => {
          const request = deliver(scheme, { ...toSign, body: Buffer.from(bytes) });
          expect(await isAccepted(verifier, request)).not.toBeNull();
          const body = flip(bytes, nat % (bytes.length * 8));
          expect(await isAccepted(verifier, { ...request, body })).toBeNull();
        },
      ),
    );
  });

  it('is the same digest for two deliveries of one signed text, and another for any other', async () => {
    for (const scheme of signing) {
      const { toSign, options } = senderOf(scheme);
      const verifier = verifierFor(options);
      const first = await isAccepted(verifier, deliver(scheme, toSign));
      const again = await isAccepted(verifier, deliver(scheme, toSign), NOW + 1000);
      expect(again?.signedDigest).toBe(first?.signedDigest);
      if (scheme.timestamp === undefined || 'field' in scheme.timestamp.at) continue;
      const later = deliver(scheme, { ...toSign, now: NOW + 2000 });
      expect((await isAccepted(verifier, later))?.signedDigest).not.toBe(first?.signedDigest);
    }
  });

  it('is called by the URL that the world knows, with or without the standard port for Twilio', async () => {
    for (const [id, isVague] of [
      ['twilio', true],
      ['square', false],
    ] as const) {
      const scheme = schemes.get(id)!;
      const { toSign, options } = senderOf(scheme);
      const url = (PUBLIC_URL + TARGET).replace('.org/', '.org:443/');
      const request = { ...deliver(scheme, { ...toSign, url }), url: TARGET };
      expect((await isAccepted(verifierFor(options), request)) !== null).toBe(isVague);
    }
  });
});

describe('what proves a sender and stands in the body', () => {
  const inBody = signing.flatMap(({ id, proofs }) =>
    proofs.flatMap((proof) => {
      const isSecret = !(proof.kind === 'secret' && proof.isGuessable === true);
      return isSecret && 'at' in proof && 'field' in proof.at
        ? [[id, proof.at.field] as const]
        : [];
    }),
  );

  it.each(inBody)('%s: the field %s is left out of prompts and stories', (_id, field) => {
    expect(field.split('.').some(isCredentialField)).toBe(true);
  });

  it('is looked at in each of these rows', () => {
    expect(inBody.map(([id]) => id)).toEqual(expect.arrayContaining(['mailgun', 'ms-graph']));
  });
});
