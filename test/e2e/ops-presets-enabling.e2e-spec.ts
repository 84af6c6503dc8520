import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from '../../src/hooks/index.ts';
import type { PresetEnabled } from '../../src/service/index.ts';
import { readFragments, writeFragment } from '../../src/service/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import type { GatewayAnswer } from '../support/served-gateway.ts';

const PRESETS = '/ops/api/presets';
const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const OPERATING = 'the-token-of-ana-who-operates';
const SECRET = 'a-secret-of-the-environment';
const PUBLIC = 'https://hooks.example.org';

describe('Presets, enabled by the operator API', () => {
  let dir: ConfigDirectory;
  let service: ServedGateway;
  const configure = (directory: ConfigDirectory): ConfigDirectory =>
    directory.write('gateway.json5', {
      hooks: { enabled: true, token: HOOK_TOKEN },
      agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
      ops: { tokens: [{ id: 'ana', role: 'operate', token: OPERATING }] },
    });
  beforeEach(async () => {
    dir = configure(new ConfigDirectory());
    service = await ServedGateway.start(dir.path, { SECRET });
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  const enable = (id: string, body: object = {}): Promise<GatewayAnswer> =>
    service.post(`${PRESETS}/${id}`, body);

  async function enabled(id: string, body: object = {}): Promise<PresetEnabled> {
    const answer = await enable(id, body);
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    return answer.body as unknown as PresetEnabled;
  }

  const textOf = (file: string): string => readFileSync(join(dir.path, file), 'utf8');
  const files = (): string =>
    existsSync(join(dir.path, 'gateway.d'))
      ? readdirSync(join(dir.path, 'gateway.d'))
          .map((name) => textOf(`gateway.d/${name}`))
          .join('\n')
      : '';

  async function signed(secret: string): Promise<number> {
    const body = JSON.stringify({ action: 'opened', issue: { title: 'Printer' } });
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'issues' };
    const answer = await service.post('/hooks/github', body, { token: null, headers });
    return answer.status;
  }

  it('makes a secret that counts at once, and tells it this once', async () => {
    const { made, steps, ...about } = await enabled('github', { publicUrl: PUBLIC });
    expect(about).toEqual({
      ok: true,
      sender: 'GitHub',
      files: ['gateway.d/github.json5'],
      isInForce: true,
      restartFor: [],
    });
    expect(made).toMatch(/^[\w-]{43}$/);
    expect(steps).toContain(`Secret: ${made}`);
    expect(steps).toContain(`Payload URL: ${PUBLIC}/hooks/github`);
    expect(await signed(String(made))).toBe(200);
    expect(await signed('anything')).toBe(401);
    expect(statSync(join(dir.path, 'gateway.d/github.json5')).mode & 0o777).toBe(0o600);

    const before = files();
    const again = await enabled('github');
    expect(again).toMatchObject({ files: [], made: null });
    const audit = await service.get('/ops/api/audit');
    const done = (audit.body['entries'] as AuditEntry[]).filter(({ actor }) => actor !== 'files');
    expect(done.map(({ operation, subject, after }) => [operation, subject, after])).toEqual([
      ['POST /ops/api/presets/:id', 'github', { files: [], isMade: false }],
      ['POST /ops/api/presets/:id', 'github', { files: about.files, isMade: true }],
    ]);
    for (const text of [JSON.stringify(again), audit.text, ...service.log.lines]) {
      expect(text).not.toContain(made);
    }
    expect(files()).toBe(before);
  });

  it.each([
    ['github', { publicUrl: PUBLIC }, ['--url', PUBLIC]],
    ['stripe', { secret: 'whsec_${SECRET}' }, ['--secret', 'whsec_${SECRET}']],
    ['gitea', {}, []],
  ])('writes what hooks setup %s writes', async (id, body, flags) => {
    const { made } = await enabled(id, body);
    using other = configure(new ConfigDirectory());
    const call = await hooksCall(['setup', id, '--json', ...flags], { cwd: other.path });
    expect(call.code).toBe(0);
    const { secret, token } = JSON.parse(call.stdout) as { secret: string; token: string };
    const told = secret ?? token;
    const blank = (text: string, word: string | null): string =>
      text.replaceAll(word || '\u0000', 'MADE').replaceAll(/sha256:[\da-f]{64}/g, 'DIGEST');
    const [ours, theirs] = [dir, other].map(({ path }) => readFragments(path));
    expect(ours!.map(({ file, text }) => [file, blank(text, made)])).toEqual(
      theirs!.map(({ file, text }) => [file, blank(text, told)]),
    );
  });

  it('gives a sender of tokens one of its own', async () => {
    const { made, files: written, steps } = await enabled('uptime-kuma');
    expect(written).toEqual(['gateway.d/uptime-kuma.json5', 'gateway.d/token-uptime-kuma.json5']);
    expect(steps.join('\n')).toContain(String(made));
    const knock = (hook: string) => service.post(`/hooks/${hook}`, {}, { token: made });
    expect((await knock('uptime-kuma')).status).not.toBe(401);
    expect((await knock('wake')).status).toBe(401);
    expect(await enabled('uptime-kuma')).toMatchObject({ files: [], made: null });
  });

  it('refuses what cannot be, in a sentence, and writes nothing', async () => {
    for (const [id, body, status, code] of [
      ['nobody', {}, 404, 'unknown_preset'],
      ['..%2F..%2Fgateway', {}, 404, 'unknown_preset'],
      ['mail', {}, 404, 'unknown_preset'],
      ['stripe', {}, 400, 'invalid_body'],
      ['asana', {}, 400, 'invalid_body'],
      ['twilio', { secret: 'the-auth-token' }, 400, 'invalid_body'],
      ['uptime-kuma', { secret: 'a-secret' }, 400, 'invalid_body'],
      ['github', { secret: ' ' }, 400, 'invalid_body'],
      ['github', { secret: 'two\nlines' }, 400, 'invalid_body'],
      ['github', { publicUrl: 'javascript:alert(1)' }, 400, 'invalid_body'],
      ['github', { publicUrl: 'https://user:word@example.org' }, 400, 'invalid_body'],
      ['github', { more: 1 }, 400, 'invalid_body'],
    ] as const) {
      const answer = await enable(id, body);
      expect({ id, body, status: answer.status, code: answer.body['code'] }).toEqual({
        id,
        body,
        status,
        code,
      });
    }
    const low = await service.post(`${PRESETS}/github`, {}, { token: OPERATING });
    expect(low).toMatchObject({ status: 403, body: { code: 'role_too_low' } });
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
  });

  it('puts no secret in the place of another, and touches no file of a person', async () => {
    await enabled('stripe', { secret: 'whsec_first' });
    writeFragment(dir.path, 'uptime-kuma', { hooks: { presets: ['uptime-kuma'] } }, 'a person');
    dir.write('gateway.d/gitlab.json5', "{ hooks: { presets: ['gitlab'] } }");
    dir.write(
      'gateway.d/own.json5',
      "{ hooks: { presets: ['github'], mappings: [{ id: 'github', verify: { secrets: ['of-a-person'] } }] } }",
    );
    const before = files();
    for (const [id, body, code] of [
      ['stripe', { secret: 'whsec_second' }, 'another_secret'],
      ['uptime-kuma', {}, 'file_not_ours'],
      ['gitlab', {}, 'file_not_ours'],
      ['github', { secret: 'mine' }, 'secrets_elsewhere'],
    ] as const) {
      const answer = await enable(id, body);
      expect({ id, status: answer.status, code: answer.body['code'] }).toEqual({
        id,
        status: 409,
        code,
      });
      expect(answer.text).not.toMatch(/of-a-person|whsec_first/);
    }
    expect(files()).toBe(before);
  });
});
