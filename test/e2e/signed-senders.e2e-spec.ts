import { customize, schemes, signRequest } from '../../src/hooks/http/auth/signatures/index.ts';
import type { SignatureScheme } from '../../src/hooks/http/auth/signatures/index.ts';
import { openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import { deliver, otherSecret, PUBLIC_URL, senderOf } from '../support/signing-senders.ts';

/** All that need nothing from the network. */
const senders = [...schemes.values()].filter(
  ({ proofs: [proof] }) => proof !== undefined && proof.kind !== 'certificate',
);

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

  /** What that sender sends now to the hook of its name. */
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
      const isCovered = isTemplate || proofs[0]?.kind === 'jwt';
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
