import { coveredHeaders } from './covered-headers.ts';
import { isIdSigned, schemes } from '../../src/hooks/http/auth/signatures/index.ts';
import type { SignatureScheme, SignedRequest } from '../../src/hooks/http/auth/signatures/index.ts';
import { Hooks } from './hooks.ts';
import { believes } from './official-libraries.ts';
import type { OfficialLibrary } from './official-libraries.ts';
import { deliver, NOW, PUBLIC_URL, senderOf } from './signing-senders.ts';

interface Making {
  /** Which of three secrets signs: the hook knows the first two. */
  readonly by?: 0 | 1 | 2;
  /** In milliseconds since 1970. @default now */
  readonly at?: number;
}

/** As the provider's library signs it; where that can only verify, as we do, and it says that this is right. */
async function make(
  scheme: SignatureScheme,
  library: OfficialLibrary,
  { by = 0, at }: Making = {},
): Promise<SignedRequest> {
  const { toSign, options } = senderOf(scheme, by);
  const now = at ?? Date.now();
  const url = `${PUBLIC_URL}/hooks/${scheme.id}`;
  const body = toSign.body.toString().replaceAll(String(NOW), String(now));
  let request = deliver(scheme, { ...toSign, body: Buffer.from(body), url, now });
  const { secret, id = '' } = toSign;
  const signed = await library.sign?.({ body, secret, at: now, id, url });
  if (signed !== undefined) {
    // Of our own headers only what the library leaves to the sender: the type, and an id that nobody signs.
    const ours = ['content-type', ...unsignedIds(scheme)];
    const left = ours.map((name) => [name, request.headers[name] ?? id]);
    request = { ...request, headers: { ...Object.fromEntries(left), ...signed } };
  }
  // The libraries know no clock but the machine's.
  if (at === undefined) {
    expect(await believes(library, request, options.secrets[0] ?? '')).toBe(true);
  }
  return request;
}

function unsignedIds(scheme: SignatureScheme): readonly string[] {
  const { deliveryId } = scheme;
  const isHeader = deliveryId !== undefined && 'headers' in deliveryId && !isIdSigned(scheme);
  return isHeader ? deliveryId.headers : [];
}

/** Its last letter or figure changed, so that a time stays one. */
function withLastChanged(text: string): string {
  return text.replace(/\w(?=\W*$)/, (last) => (last === '1' ? '2' : '1'));
}

export function describeOverHttp(id: string, library: OfficialLibrary): void {
  const scheme = schemes.get(id)!;
  const secrets = ([0, 1] as const).flatMap((which) => senderOf(scheme, which).options.secrets);
  let hooks: Hooks;

  const send = async ({ url, headers, body }: SignedRequest): Promise<Response> =>
    fetch(hooks.url + url, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: body.toString(),
    });

  async function expectRefusal(request: SignedRequest): Promise<void> {
    const answer = await send(request);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      ok: false,
      error: expect.any(String),
      code: 'invalid_signature',
    });
    expect(await hooks.stored()).toBe(0);
  }

  async function expectAccepted(request: SignedRequest): Promise<unknown> {
    const answer = await send(request);
    const body = (await answer.json()) as { eventId: string };
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(await hooks.stored()).toBe(1);
    expect((await hooks.details(body.eventId)).request).toMatchObject({ verifiedBy: id });
    return body;
  }

  describe(`${id}: a request of its own library`, () => {
    beforeEach(async () => {
      hooks = await Hooks.start({
        publicUrl: PUBLIC_URL,
        mappings: [{ id, verify: { scheme: id, secrets }, messageTemplate: 'It came.' }],
      });
    });
    afterEach(() => hooks.close());

    it.each([0, 1] as const)('is stored once when secret %i of two signed it', async (by) => {
      await expectAccepted(await make(scheme, library, { by }));
    });

    it('is refused with one byte changed, and leaves the right one its ids', async () => {
      const request = await make(scheme, library);
      const text = request.body.toString();
      for (const changed of [text.replace('done', 'gone'), `${text} `]) {
        expect(changed).not.toBe(text);
        await expectRefusal({ ...request, body: Buffer.from(changed) });
      }
      for (const name of coveredHeaders(scheme)) {
        const headers = { ...request.headers };
        headers[name] = withLastChanged(String(headers[name]));
        await expectRefusal({ ...request, headers });
      }
      await expectAccepted(request);
    });
  });
}
