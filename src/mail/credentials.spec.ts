import { ManualClock } from '../../test/support/clocks.ts';
import { ScriptedServer } from '../../test/support/scripted-server.ts';
import { MailCredentials } from './credentials.ts';
import { resolveMail } from './options.ts';

const { signal } = new AbortController();
const ACCOUNT = { account: 'me@x.example', host: 'imap.x.example' };

let provider: ScriptedServer;
let taken: Map<string, string>;
let presented: string[];
let saved: string[];

beforeEach(async () => {
  [taken, presented, saved] = [new Map(), [], []];
  provider = new ScriptedServer(({ body }) => {
    const token = (body as { refresh_token: string }).refresh_token;
    presented.push(token);
    const next = taken.get(token);
    const fresh = { access_token: `access-${presented.length}`, refresh_token: next };
    return next === undefined
      ? { status: 400, headers: {}, chunks: ['{"error":"invalid_grant"}'] }
      : { status: 200, headers: {}, chunks: [JSON.stringify(fresh)] };
  });
  await provider.listen();
});

afterEach(() => provider.close());

/** @param newest the newest refresh token of an earlier run. */
function byOAuth2(newest?: string, more: object = {}): MailCredentials {
  const oauth2 = { clientId: 'id', refreshToken: 'configured', tokenUrl: provider.origin, ...more };
  const { value } = resolveMail({ ...ACCOUNT, auth: { oauth2 } });
  const save = (token: string): void => void saved.push(token);
  return new MailCredentials(value, { clock: new ManualClock(), newest, save });
}

describe('MailCredentials', () => {
  it('are the password, which cannot be renewed', async () => {
    const { value } = resolveMail({ ...ACCOUNT, auth: { password: 'p' } });
    const credentials = new MailCredentials(value, { clock: new ManualClock(), save: () => {} });
    expect(await credentials.get(signal)).toEqual({ pass: 'p' });
    expect(credentials.forget()).toBe(false);
  });

  it('are asked for with what is configured, and nothing else', async () => {
    taken.set('configured', 'configured');
    await byOAuth2(undefined, { clientSecret: 's', scope: 'imap' }).get(signal);
    expect(provider.requests[0]?.body).toEqual({
      grant_type: 'refresh_token',
      client_id: 'id',
      client_secret: 's',
      scope: 'imap',
      refresh_token: 'configured',
    });
  });
});

describe('MailCredentials of a provider that takes each refresh token once', () => {
  it('are another access token, got with the newest, when the server refuses one', async () => {
    taken.set('configured', 'second').set('second', 'third');
    const credentials = byOAuth2();
    await credentials.get(signal);
    expect(credentials.forget()).toBe(true);
    expect(await credentials.get(signal)).toEqual({ accessToken: 'access-2' });
    expect(presented).toEqual(['configured', 'second']);
    expect(saved).toEqual(['second', 'third']);
  });
});
