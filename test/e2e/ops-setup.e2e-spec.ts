import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../support/config-directory.ts';
import { assertDocumented } from '../support/documented-answers.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { MATTERMOST_CHANNEL, MattermostServer } from '../support/mattermost-server.ts';
import { MODEL_REPLY, OpenAiServer } from '../support/openai-server.ts';
import { isGone } from '../support/process-state.ts';
import { ServiceProcess } from '../support/service-process.ts';

/*
 * `hooks setup` by the operator API, with the command itself behind it. What it asks and writes is told by
 * cli-setup-guide.e2e-spec.ts; how it looks by setup.console-spec.ts.
 */

const FIRST = 'the-token-of-the-first-operator';
const ANA = 'the-token-of-ana-who-configures';
const KEY = 'sk-secret-of-the-tests';
const BOT_TOKEN = 'token-of-the-bot';

interface State {
  readonly refusal: string | null;
  readonly conversation: {
    readonly id: string;
    readonly by: string;
    readonly isYours: boolean;
    readonly entries: readonly { readonly kind: string; readonly text: string }[];
    readonly question: {
      readonly number: number;
      readonly kind: string;
      readonly message: string;
      readonly problem: string | null;
    } | null;
    readonly eventId: string | null;
    readonly ending: string | null;
  } | null;
}

let dir: ConfigDirectory;
let service: ServiceProcess;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  dir[Symbol.dispose]();
});

/** A service at an address that its child is told, too. */
async function start(env: Record<string, string> = {}): Promise<void> {
  service = await ServiceProcess.listening(dir.path, {
    GATEWAY_PORT: String(await freePort()),
    ...env,
  });
}

/** With operators, and the hooks of its own. */
async function startConfigured(env: Record<string, string> = {}): Promise<void> {
  dir.write('gateway.json5', {
    gateway: { auth: { token: FIRST } },
    hooks: { enabled: true, token: 'the-hook-token-of-the-tests', defaultSessionKey: 'hook:a' },
    ops: { tokens: [{ id: 'ana', role: 'configure', token: ANA }] },
  });
  await start(env);
}

function firstToken(): string {
  return readFileSync(join(dir.path, 'data/operator-token'), 'utf8').trim();
}

async function ask(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { token = FIRST, body }: { readonly token?: string; readonly body?: object } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assertDocumented(method, path, { status: answer.status, text });
  return { status: answer.status, body: JSON.parse(text) };
}

async function state(token?: string): Promise<State> {
  return (await ask('GET', '/ops/api/setup', { token })).body as unknown as State;
}

/** @returns its id */
async function begin(token?: string): Promise<string> {
  const { status, body } = await ask('POST', '/ops/api/setup', { token });
  expect(status).toBe(200);
  return String(body['id']);
}

/** The question that begins so, once it is asked. */
function question(message: string, token?: string) {
  return eventually(`it asks: ${message}`, async () => {
    const { conversation } = await state(token);
    if (conversation?.ending !== null) throw new Error(JSON.stringify(conversation));
    return conversation.question?.message.startsWith(message) ? conversation.question : undefined;
  });
}

async function reply(id: string, message: string, answer: string, token?: string): Promise<void> {
  const { number } = await question(message, token);
  const body = { question: number, answer };
  expect(await ask('POST', `/ops/api/setup/${id}/answer`, { token, body })).toMatchObject({
    status: 200,
  });
}

async function audit(): Promise<readonly Record<string, unknown>[]> {
  const { body } = await ask('GET', '/ops/api/audit?limit=200');
  return body['entries'] as Record<string, unknown>[];
}

/** Ids of processes that were started for this directory, this service's own aside. */
function children(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== service.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').includes(
          `GATEWAY_CONFIG_DIR=${dir.path}\0`,
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

describe('hooks setup by the operator API', () => {
  it('goes from the demo to a reply, and tells no secret that was typed', async () => {
    const models = new OpenAiServer();
    const chat = new MattermostServer(BOT_TOKEN);
    await Promise.all([models.listen(), chat.listen()]);
    await start();
    const token = firstToken();
    try {
      expect(await state(token)).toEqual({ refusal: null, conversation: null });
      const id = await begin(token);
      await reply(id, 'Which model answers?', 'compatible', token);
      await reply(id, 'Its address', 'nonsense', token);
      expect((await question('Its address', token)).problem).toBe('Write it as https://…');
      await reply(id, 'Its address', models.baseUrl, token);
      await reply(id, 'Does it need a key?', 'yes', token);
      expect((await question('The key', token)).kind).toBe('password');
      await reply(id, 'The key', KEY, token);
      await reply(id, 'Where do replies go?', 'mattermost', token);
      await reply(id, 'Where is Mattermost?', chat.origin, token);
      await reply(id, 'The bot token of Mattermost', BOT_TOKEN, token);
      await reply(id, 'Which conversation?', MATTERMOST_CHANNEL, token);
      await reply(id, 'Who sends events?', 'github', token);
      await reply(id, 'Where does GitHub reach this service?', '', token);
      const ended = await eventually('it ends', async () => {
        const { conversation } = await state(token);
        return conversation?.ending === null ? undefined : conversation;
      });
      const said = ended?.entries.map(({ kind, text }) => `${kind}: ${text}`).join('\n') ?? '';
      expect({ ending: ended?.ending, said }).toEqual({
        ending: 'done',
        said: expect.stringContaining(MODEL_REPLY),
      });
      expect(chat.posts).toEqual([MODEL_REPLY]);
      // What to enter at the sender, the secret with it.
      expect(said).toMatch(/result: .*Secret.* [\w-]{43}/);
      expect(said).toContain('question: The key (it is kept in .env)\nanswer: ***');
      const { body: event } = await ask('GET', `/ops/api/events/${ended?.eventId}`, { token });
      expect(event).toMatchObject({ status: 'done' });
      const kept = await ask('GET', '/ops/api/audit?limit=200', { token });
      for (const secret of [KEY, BOT_TOKEN]) {
        expect(said + JSON.stringify(kept.body) + service.stdout).not.toContain(secret);
        expect(readFileSync(join(dir.path, '.env'), 'utf8')).toContain(secret);
      }
    } finally {
      await Promise.all([models.close(), chat.close()]);
    }
  });

  it('asks whoever began it, and is ended by anybody who may configure', async () => {
    await startConfigured();
    const id = await begin(ANA);
    const { number } = await question('Which model answers?', ANA);
    expect((await state()).conversation).toEqual({
      id,
      by: 'ana',
      isYours: false,
      entries: [],
      question: null,
      eventId: null,
      ending: null,
    });
    const body = { question: number, answer: 'demo' };
    expect(await ask('POST', `/ops/api/setup/${id}/answer`, { body })).toMatchObject({
      status: 403,
      body: { code: 'setup_of_another' },
    });
    expect(await ask('POST', '/ops/api/setup')).toMatchObject({
      status: 409,
      body: { code: 'setup_under_way', error: expect.stringContaining('ana') },
    });
    expect((await question('Which model answers?', ANA)).number).toBe(number);
    expect(await ask('DELETE', `/ops/api/setup/${id}`)).toMatchObject({ status: 200 });
    expect((await state(ANA)).conversation).toBeNull();
    expect(children()).toEqual([]);
    expect(readdirSync(dir.path).toSorted()).toEqual(['data', 'gateway.json5']);
    expect(await audit()).toMatchObject([
      { actor: 'operator', operation: 'DELETE /ops/api/setup/:id', subject: id, outcome: 'done' },
      { actor: 'operator', operation: 'POST /ops/api/setup', outcome: 'setup_under_way' },
      { actor: 'operator', subject: id, outcome: 'setup_of_another', after: null },
      { actor: 'ana', operation: 'POST /ops/api/setup', subject: id, outcome: 'done' },
    ]);
  });

  it('takes one answer to each question, and only one that fits', async () => {
    await startConfigured();
    const id = await begin();
    const { number } = await question('Which model answers?');
    const refused = async (body: object, status: number, code: string, at = id) =>
      expect(await ask('POST', `/ops/api/setup/${at}/answer`, { body })).toMatchObject({
        status,
        body: { code },
      });
    await refused({ question: number + 1, answer: 'demo' }, 409, 'no_such_question');
    await refused({ question: number, answer: 'nobody' }, 400, 'invalid_body');
    await refused({ question: number, answer: 'demo\nX=1' }, 400, 'invalid_body');
    await refused({ question: number, answer: 'x'.repeat(5000) }, 400, 'invalid_body');
    await refused({ question: number, answer: 'x'.repeat(50_000) }, 413, 'body_too_large');
    await refused({ question: number, answer: 'demo' }, 404, 'unknown_setup', 'another');
    expect(await ask('DELETE', '/ops/api/setup/another')).toMatchObject({ status: 404 });
    expect((await question('Which model answers?')).number).toBe(number);
    await reply(id, 'Which model answers?', 'demo');
    await question('Where do replies go?');
    await refused({ question: number, answer: 'compatible' }, 409, 'no_such_question');
    const { conversation } = await state();
    expect(conversation?.entries).toEqual([
      { kind: 'question', text: 'Which model answers?' },
      { kind: 'answer', text: 'none yet: the demo agent answers' },
    ]);
    const [, answered] = (await audit()).toReversed().filter(({ outcome }) => outcome === 'done');
    expect(answered).toMatchObject({
      operation: 'POST /ops/api/setup/:id/answer',
      after: { question: 'Which model answers?' },
    });
    expect(JSON.stringify(answered)).not.toContain('demo');
  });

  it('ends with the service, however that ends, and leaves nothing', async () => {
    await startConfigured();
    await begin();
    await question('Which model answers?');
    const [child = 0, ...others] = children();
    expect({ child, others }).toEqual({ child: expect.any(Number), others: [] });
    service.signal('SIGKILL');
    await eventually('the child has ended', () => isGone(child));
    await start();
    await begin();
    await question('Which model answers?');
    const [next = 0] = children();
    expect((await service.stop()).code).toBe(0);
    expect(isGone(next)).toBe(true);
    expect(readdirSync(dir.path).toSorted()).toEqual(['data', 'gateway.json5']);
  });

  it('sends nothing that is kept here to an address that was typed', async () => {
    const models = new OpenAiServer();
    const chat = new MattermostServer('another-token');
    await Promise.all([models.listen(), chat.listen()]);
    await startConfigured({ MODEL_API_KEY: KEY, MATTERMOST_TOKEN: BOT_TOKEN });
    try {
      const id = await begin();
      await reply(id, 'Which model answers?', 'compatible');
      await reply(id, 'Its address', models.baseUrl);
      await reply(id, 'Does it need a key?', 'no');
      await reply(id, 'Where do replies go?', 'mattermost');
      await reply(id, 'Where is Mattermost?', chat.origin);
      const ended = await eventually('it ends', async () => {
        const { conversation } = await state();
        return conversation?.ending === null ? undefined : conversation;
      });
      expect(ended).toMatchObject({ ending: 'failed', question: null, eventId: null });
      expect(ended?.entries.map(({ text }) => text).join('\n')).toContain(
        'MATTERMOST_TOKEN has a value here, which is not sent to an address that was typed elsewhere.',
      );
      expect(models.requests.map(({ headers }) => headers.authorization)).toEqual([
        undefined,
        undefined,
      ]);
      expect(chat.requests).toEqual([]);
      expect(readdirSync(dir.path).toSorted()).toEqual(['data', 'gateway.json5']);
    } finally {
      await Promise.all([models.close(), chat.close()]);
    }
  });

  it('is not begun where its files cannot be written', async () => {
    await startConfigured();
    symlinkSync(join(dir.path, 'nowhere', 'at-all'), join(dir.path, 'gateway.d'));
    expect(await state()).toEqual({
      refusal: expect.stringContaining('may not write its configuration directory (ENOENT)'),
      conversation: null,
    });
    expect(await ask('POST', '/ops/api/setup')).toMatchObject({
      status: 501,
      body: { code: 'configuration_read_only' },
    });
    expect(children()).toEqual([]);
  });
});
