import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { AccessTokens } from './access-tokens.ts';
import type { RefreshTokens } from './access-tokens.ts';

const { signal } = new AbortController();

let server: Server;
let presented: string[];
/** Refresh tokens that the endpoint takes, each with the one that it gives for it. */
let taken: Map<string, string>;

beforeEach(async () => {
  presented = [];
  taken = new Map();
  server = createServer((request, response) => {
    void text(request).then((form) => {
      const token = new URLSearchParams(form).get('refresh_token') ?? '';
      presented.push(token);
      const next = taken.get(token);
      const body =
        next === undefined
          ? { error: 'invalid_grant' }
          : { access_token: `access-${presented.length}`, refresh_token: next };
      response.writeHead(next === undefined ? 400 : 200).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => server.close());

/** @param kept the newest refresh token of an earlier run. */
function tokens(kept?: string): AccessTokens {
  const { port } = server.address() as AddressInfo;
  const options = {
    clientId: 'id',
    refreshToken: 'configured',
    tokenUrl: `http://127.0.0.1:${port}/token`,
  };
  const store: RefreshTokens = { refreshToken: () => kept, saveRefreshToken: () => {} };
  return new AccessTokens(options, 'imap.example.org', new ManualClock(), store);
}

async function attempt(access: AccessTokens): Promise<string> {
  return access.token(signal).catch((error: Error) => {
    access.forget();
    return error.message;
  });
}

describe('AccessTokens of a provider that takes each refresh token once', () => {
  it('get another access token with the newest when the server refuses one', async () => {
    taken.set('configured', 'second').set('second', 'third');
    const access = tokens();
    await access.token(signal);
    access.forget();
    expect(await access.token(signal)).toBe('access-2');
    expect(presented).toEqual(['configured', 'second']);
  });

  it('try the newest and the configured in turn while both are refused', async () => {
    const access = tokens('newest');
    for (let n = 0; n < 3; n += 1) expect(await attempt(access)).toContain('invalid_grant');
    taken.set('configured', 'configured');
    expect(await attempt(access)).toBe('access-4');
    expect(presented).toEqual(['newest', 'configured', 'newest', 'configured']);
  });
});
