import { ManualClock } from '../../test/support/clocks.ts';
import { ScriptedServer } from '../../test/support/scripted-server.ts';
import { OAuthTokens } from './oauth-tokens.ts';
import type { OAuthOptions } from './oauth-tokens.ts';

const { signal } = new AbortController();

let server: ScriptedServer;
let given: number;
beforeEach(async () => {
  given = 0;
  server = new ScriptedServer(() => {
    given += 1;
    const body = { access_token: `access-${given}`, expires_in: 600 };
    return { status: 200, headers: {}, chunks: [JSON.stringify(body)] };
  });
  await server.listen();
});
afterEach(() => server.close());

function tokens(over: Partial<OAuthOptions> = {}): OAuthTokens {
  const tokenUrl = `${server.origin}/token`;
  return new OAuthTokens({ tokenUrl, clientId: 'id', clientSecret: 's&cret', ...over });
}

describe('OAuthTokens by client credentials', () => {
  it('asks with the client’s own', async () => {
    expect(await tokens({ scope: 'a b' }).token(signal)).toBe('access-1');
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/token',
        headers: { accept: 'application/json' },
        body: {
          grant_type: 'client_credentials',
          client_id: 'id',
          client_secret: 's&cret',
          scope: 'a b',
        },
      },
    ]);
  });

  it('keeps a token until shortly before it expires', async () => {
    const clock = new ManualClock();
    const access = tokens({ clock, marginMs: 100_000 });
    await access.token(signal);
    clock.advance(499_000);
    expect(await access.token(signal)).toBe('access-1');
    clock.advance(1_000);
    expect(await access.token(signal)).toBe('access-2');
  });

  it.each([{}, { expires_in: 'soon' }, { expires_in: -1 }])(
    'keeps a token for an hour when the endpoint says %j',
    async (said) => {
      const clock = new ManualClock();
      const access = tokens({ clock, marginMs: 0 });
      server.next({ body: { access_token: 'kept', ...said } });
      await access.token(signal);
      clock.advance(3_599_999);
      expect(await access.token(signal)).toBe('kept');
      clock.advance(1);
      expect(await access.token(signal)).toBe('access-2');
    },
  );

  it('asks anew after the token was refused', async () => {
    const access = tokens();
    await access.token(signal);
    access.forget();
    expect(await access.token(signal)).toBe('access-2');
  });
});

describe('OAuthTokens without a token', () => {
  it.each([
    [
      { status: 400, body: { error: 'invalid_client' } },
      true,
      'refuses the client (invalid_client)',
    ],
    [{ status: 401, body: '<html>' }, true, 'answers 401 without a token'],
    [{ status: 403, body: '' }, true, 'answers 403 without a token'],
    [{ status: 500, body: 'oops' }, false, 'answers 500 without a token'],
    [{ status: 302, headers: { location: '/login' }, body: '' }, false, 'answers 302'],
    [{ body: 'null' }, false, 'answers 200 without a token'],
    [{ body: { access_token: 'a\r\nb' } }, false, 'answers 200 without a token'],
    [{ body: { access_token: '' } }, false, 'answers 200 without a token'],
    [{ body: 'x'.repeat(70_000) }, false, 'answers 200 without a token'],
  ] as const)('%j', async (script, isRefused, message) => {
    server.next(script);
    await expect(tokens().token(signal)).rejects.toMatchObject({
      name: 'OAuthError',
      isRefused,
      message: expect.stringContaining(message),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('gives what the endpoint says to whoever takes the secrets out', async () => {
    const body = { error: 'invalid_scope', error_description: 'No such scope.' };
    server.next({ status: 400, headers: { 'retry-after': '3' }, body });
    const error: unknown = await tokens()
      .token(signal)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_scope',
      description: 'No such scope.',
    });
    expect(error).toHaveProperty('headers', expect.any(Headers));
  });

  it('says when nobody answers', async () => {
    server.next({ cut: 'at-once' });
    await expect(tokens().token(signal)).rejects.toMatchObject({
      name: 'HttpError',
      kind: 'broken',
    });
    server.next({ stall: 'at-once' });
    await expect(tokens({ timeoutMs: 50 }).token(signal)).rejects.toMatchObject({
      kind: 'timed-out',
    });
  });

  it('rejects with the reason of an abort', async () => {
    const reason = new Error('stopping');
    await expect(tokens().token(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });
});

describe('OAuthTokens by a refresh token that may be used once', () => {
  let taken: Map<string, string>;
  let presented: string[];
  let saved: string[];
  let rotating: ScriptedServer;
  beforeEach(async () => {
    [taken, presented, saved] = [new Map(), [], []];
    rotating = new ScriptedServer(({ body }) => {
      const token = (body as { refresh_token: string }).refresh_token;
      presented.push(token);
      const refresh_token = taken.get(token);
      const fresh = { access_token: `access-${presented.length}`, refresh_token };
      return refresh_token === undefined
        ? { status: 400, headers: {}, chunks: ['{"error":"invalid_grant"}'] }
        : { status: 200, headers: {}, chunks: [JSON.stringify(fresh)] };
    });
    await rotating.listen();
  });
  afterEach(() => rotating.close());

  function refreshing(newest?: string): OAuthTokens {
    const save = (token: string) => void saved.push(token);
    const refreshToken = { configured: 'configured', newest, save };
    return tokens({ tokenUrl: rotating.origin, clientSecret: undefined, refreshToken });
  }

  async function attempt(access: OAuthTokens): Promise<string> {
    return access.token(signal).catch((error: Error) => {
      access.forget();
      return error.message;
    });
  }

  it('asks with it, and keeps each new one', async () => {
    taken.set('configured', 'second').set('second', 'third');
    const access = refreshing();
    await access.token(signal);
    access.forget();
    expect(await access.token(signal)).toBe('access-2');
    expect(rotating.requests[0]?.body).toEqual({
      grant_type: 'refresh_token',
      client_id: 'id',
      refresh_token: 'configured',
    });
    expect(presented).toEqual(['configured', 'second']);
    expect(saved).toEqual(['second', 'third']);
  });

  it('saves nothing when the endpoint repeats it', async () => {
    taken.set('configured', 'configured');
    await refreshing().token(signal);
    expect(saved).toEqual([]);
  });

  it('tries the newest and the configured in turn while both are refused', async () => {
    const access = refreshing('newest');
    for (let n = 0; n < 3; n += 1) {
      expect(await attempt(access)).toBe(
        'the token endpoint refuses the refresh token (invalid_grant)',
      );
    }
    taken.set('configured', 'configured');
    expect(await attempt(access)).toBe('access-4');
    expect(presented).toEqual(['newest', 'configured', 'newest', 'configured']);
  });
});
