import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EventStore, OperatorRequests } from '../../src/index.ts';
import { sqliteLedger } from '../../src/ledger.ts';
import { hmac, byGithub } from '../support/signed.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const SECRET = 'a-secret-that-the-form-is-signed-with';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const GZIP = { 'content-encoding': 'gzip' };
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

describe('Bodies', () => {
  let hooks: Hooks;

  beforeAll(async () => {
    hooks = await Hooks.start({
      mappings: [
        {
          id: 'form',
          body: 'form',
          messageTemplate: '{{ From }}|{{ Body }}|{{ tag }}|{{ payload.payload.action }}',
        },
        { id: 'text', body: 'text', messageTemplate: 'says {{ text }}' },
        { id: 'small', maxBodyBytes: 20, messageTemplate: '{{ a }}' },
        { id: 'large', maxBodyBytes: 2_000_000, messageTemplate: '{{ a }}' },
        {
          id: 'signed-form',
          body: 'form',
          verify: { scheme: 'github', secrets: [SECRET] },
          messageTemplate: '{{ payload.payload.action }}',
        },
        { id: 'any', match: {}, messageTemplate: 'any' },
      ],
    });
  });
  afterAll(() => hooks.close());

  async function promptOf(eventId: unknown): Promise<string> {
    const { runs } = await hooks.ended(eventId);
    return runs[0]?.prompt ?? '';
  }

  async function expectRefusal(
    path: string,
    body: string | Buffer,
    headers: Record<string, string>,
    [status, code, words]: readonly [number, string, RegExp],
  ): Promise<void> {
    const before = await hooks.stored();
    const answer = await hooks.ask(path, body.toString(), headers);
    expect(answer).toEqual({ ok: false, status, code, error: expect.stringMatching(words) });
    expect(await hooks.stored()).toBe(before);
  }

  it('a form becomes an object: repeated fields a list, a JSON payload parsed', async () => {
    const body =
      'From=%2B49+30&Body=Hi+%26+bye&tag=a&tag=b&payload=%7B%22action%22%3A%22opened%22%7D&__proto__=x&constructor=y';
    const { eventId, status } = await hooks.ask('/form', body, FORM);
    expect(status).toBe(200);
    expect(await promptOf(eventId)).toContain('+49 30|Hi & bye|["a","b"]|opened');
    const { payload } = (await hooks.details(eventId)).request;
    expect(payload).toEqual({
      From: '+49 30',
      Body: 'Hi & bye',
      tag: ['a', 'b'],
      payload: { action: 'opened' },
      constructor: 'y',
    });
  });

  it('a text becomes {text}', async () => {
    const { eventId } = await hooks.ask('/text', 'disk is "full"\n', TEXT);
    expect(await promptOf(eventId)).toContain('says disk is "full"');
  });

  it('a form can be replayed', async () => {
    const { eventId } = await hooks.ask('/form', 'From=me&Body=again', FORM);
    const replayed = await hooks.app.get(OperatorRequests).replay(String(eventId));
    expect(replayed.outcome).toBe('replayed');
    const { eventId: again } = 'answer' in replayed ? replayed.answer : {};
    expect(await promptOf(again)).toContain('me|again||');
  });

  it('a form and a text can be previewed as they would be sent, or as the value they become', async () => {
    const preview = hooks.app.get(OperatorRequests);
    const sent = await preview.preview({ hook: 'form', payload: 'From=me&Body=hi' });
    expect(sent.actions[0]?.prompt).toContain('me|hi||');
    const parsed = await preview.preview({ hook: 'form', payload: { From: 'me', Body: 'hi' } });
    expect(parsed.actions[0]?.prompt).toContain('me|hi||');
    const text = await preview.preview({ hook: 'text', payload: 'disk full' });
    expect(text.actions[0]?.prompt).toContain('says disk full');
    const refused = await preview.preview({ hook: 'form', payload: '&'.repeat(1000) });
    expect(refused).toMatchObject({ actions: [], refusal: { status: 400, code: 'invalid_body' } });
    const signed = await preview.preview({
      hook: 'signed-form',
      payload: 'payload={"action":"x"}',
    });
    expect(signed.actions[0]?.prompt).toContain('Sender verified by: github');
  });

  it('a signature of a form is over its bytes', async () => {
    const body = 'payload=%7B%22action%22%3A%22closed%22%7D';
    const right = await hooks.ask('/signed-form', body, { ...FORM, ...byGithub(SECRET, body) });
    expect(right.status).toBe(200);
    expect(await promptOf(right['eventId'])).toContain('closed');
    const parsed = `sha256=${hmac('sha256', SECRET, '{"action":"closed"}')}`;
    await expectRefusal('/signed-form', body, { ...FORM, 'x-hub-signature-256': parsed }, [
      401,
      'invalid_signature',
      /fit the body/,
    ]);
  });

  it.each<[string, string, string, Record<string, string>, RegExp]>([
    ['JSON to a form', '/form', '{}', {}, /application\/x-www-form-urlencoded/],
    ['a form to JSON', '/any', 'a=1', FORM, /Choose application\/json .* or set body: 'form'/],
    ['a form to wake', '/wake', 'a=1', FORM, /^Send JSON: Content-Type application\/json\.$/],
    ['a list to agent', '/agent', '[]', TEXT, /^Send JSON: Content-Type application\/json\.$/],
    ['JSON to a text', '/text', '{}', {}, /Content-Type text\/plain/],
    [
      'multipart to a text',
      '/text',
      '--x--',
      { 'content-type': 'multipart/form-data; boundary=x' },
      /Content-Type text\/plain/,
    ],
    [
      'gzip twice',
      '/any',
      '{}',
      { 'content-encoding': 'gzip, gzip' },
      /once as gzip, deflate or br/,
    ],
  ])('415 for %s says what to send', async (_name, path, body, headers, words) => {
    await expectRefusal(path, body, headers, [415, 'unsupported_media_type', words]);
  });

  it('400 for a text that is neither UTF-8 nor what it says, with the place', async () => {
    const before = await hooks.stored();
    const answer = await hooks.post('/text', Buffer.from('caf\xe9', 'latin1'), TEXT);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        ok: false,
        code: 'invalid_body',
        error: 'Send a body that is in UTF-8, or in the charset that it says: byte 4 is not.',
      },
    ]);
    expect(await hooks.stored()).toBe(before);
  });

  it('400 for text without a content type says to send one', async () => {
    const before = await hooks.stored();
    const answer = await fetch(`${hooks.url}/hooks/any`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: Buffer.from('disk full'),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'invalid_json',
      error: expect.stringContaining('send JSON with Content-Type application/json'),
    });
    expect(await hooks.stored()).toBe(before);
  });

  it('400 for a form of too many fields, and for a payload nested too deep', async () => {
    await expectRefusal('/form', '&'.repeat(1000), FORM, [400, 'invalid_body', /1000 fields/]);
    const deep = `payload=${'['.repeat(1001)}${']'.repeat(1001)}`;
    await expectRefusal('/form', deep, FORM, [400, 'invalid_json', /nested deeper/]);
  });

  it('a path has a limit of its own, smaller or larger; exactly that passes', async () => {
    expect((await hooks.ask('/small', `{"a":"${'x'.repeat(12)}"}`)).status).toBe(200);
    await expectRefusal('/small', `{"a":"${'x'.repeat(13)}"}`, {}, [
      413,
      'payload_too_large',
      /at most 20 bytes/,
    ]);
    expect((await hooks.ask('/large', `{"a":"${'x'.repeat(1_999_992)}"}`)).status).toBe(200);
  });

  it('what is unpacked has the limit of the path, too; exactly that passes', async () => {
    const packed = (count: number) => gzipSync(`{"a":"${'x'.repeat(count)}"}`);
    const taken = await hooks.post('/large', packed(1_999_992), GZIP);
    expect(taken.status).toBe(200);
    const before = await hooks.stored();
    const refused = await hooks.post('/large', packed(1_999_993), GZIP);
    expect([refused.status, await refused.json()]).toMatchObject([
      413,
      { code: 'payload_too_large', error: 'Send at most 2000000 bytes.' },
    ]);
    expect(await hooks.stored()).toBe(before);
  });

  it('nothing is unpacked for whom the bytes that came do not prove', async () => {
    const form = 'payload=%7B%22action%22%3A%22packed%22%7D';
    const packed = gzipSync(form);
    const broken = packed.subarray(0, 20);
    const before = await hooks.stored();
    const told = async (body: Buffer, signed: string | Buffer) => {
      const headers = { ...FORM, ...GZIP, ...byGithub(SECRET, signed) };
      const answer = await hooks.post('/signed-form', body, headers);
      return [answer.status, ((await answer.json()) as { code?: string }).code];
    };
    expect(await told(packed, form)).toEqual([401, 'invalid_signature']);
    expect(await told(broken, form)).toEqual([401, 'invalid_signature']);
    expect(await told(broken, broken)).toEqual([400, 'invalid_body']);
    expect(await hooks.stored()).toBe(before);
    const right = { ...FORM, ...GZIP, ...byGithub(SECRET, packed) };
    const { eventId } = (await (await hooks.post('/signed-form', packed, right)).json()) as {
      eventId: string;
    };
    expect(await promptOf(eventId)).toContain('packed');
  });

  it('1 MiB is the limit of every other path', async () => {
    expect((await hooks.ask('/any', `{"a":"${'x'.repeat(1_048_568)}"}`)).status).toBe(200);
    await expectRefusal('/any', `{"a":"${'x'.repeat(1_048_569)}"}`, {}, [
      413,
      'payload_too_large',
      /at most 1048576 bytes/,
    ]);
  });
});

describe('A push of 10 MB', () => {
  const MIB = 1_048_576;
  const commits = Array.from({ length: 20_000 }, (_, n) => ({
    id: String(n).padStart(40, '0'),
    message: `Änderung ${n}: ${'x'.repeat(400)}`,
    author: { name: 'Ann' },
  }));
  const PUSH = JSON.stringify({ ref: 'refs/heads/main', commits, sender: { login: 'ann' } });
  const OF_PUSH = { 'x-github-event': 'push', authorization: '' };
  let hooks: Hooks;
  let dir: string;

  async function start(maxInFlightBytes: number): Promise<void> {
    dir = mkdtempSync(join(tmpdir(), 'hooks-large-'));
    hooks = await Hooks.start({
      ledger: sqliteLedger({ dir }),
      presets: ['github'],
      mappings: [{ id: 'github', verify: { secrets: [SECRET] } }],
      maxInFlightBytes,
    });
  }
  afterEach(async () => {
    await hooks.close();
    rmSync(dir, { recursive: true });
  });

  it('is taken, and is no large event to anybody who looks', async () => {
    await start(32 * MIB);
    const answer = await hooks.ask('/github', PUSH, { ...OF_PUSH, ...byGithub(SECRET, PUSH) });
    expect(answer).toMatchObject({ ok: true, status: 200 });
    const details = await hooks.ended(answer['eventId']);
    expect(details).toMatchObject({ status: 'done', mapping: 'github-push' });
    expect(details.request.payloadBytes).toBe(Buffer.byteLength(PUSH));
    expect(details.runs[0]?.prompt).toContain('… and 19992 more');
    expect(JSON.stringify(details).length).toBeLessThan(300_000);
    const { events } = await hooks.app.get(EventStore).list({ limit: 50 });
    expect(events).toMatchObject([{ id: answer['eventId'] }]);
    expect(JSON.stringify(events).length).toBeLessThan(1000);
    const replayed = await hooks.app.get(OperatorRequests).replay(String(answer['eventId']));
    const { eventId: again } = 'answer' in replayed ? replayed.answer : {};
    expect((await hooks.ended(again)).runs[0]?.prompt).toContain('… and 19992 more');
  });

  it('is refused with the number where memory does not allow it', async () => {
    await start(8 * MIB);
    const answer = await hooks.ask('/github', PUSH, { ...OF_PUSH, ...byGithub(SECRET, PUSH) });
    expect(answer).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(answer['error']).toMatch(/at most 8388608 bytes/);
    expect(await hooks.stored()).toBe(0);
  });

  it('is not parsed where its signature is false', async () => {
    await start(32 * MIB);
    const noJson = PUSH.slice(0, -1);
    const answer = await hooks.ask('/github', noJson, { ...OF_PUSH, ...byGithub(SECRET, PUSH) });
    expect(answer).toMatchObject({ status: 401, code: 'invalid_signature' });
    expect(await hooks.stored()).toBe(0);
  });
});
