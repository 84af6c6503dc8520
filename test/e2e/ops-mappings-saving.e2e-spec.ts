import {
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from '../../src/hooks/index.ts';
import type { Mappings } from '../../src/service/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import type { GatewayAnswer } from '../support/served-gateway.ts';

const MAPPINGS = '/ops/api/mappings';
const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const CONFIGURING = 'the-token-of-cid-who-configures';
const OPERATING = 'the-token-of-ana-who-operates';
const SECRET = 'a-secret-of-the-environment';
const FILE = 'gateway.d/mapping-tickets.json5';
const TICKETS = {
  id: 'tickets',
  match: { path: 'tickets' },
  action: 'agent',
  messageTemplate: 'Ticket {{ payload.title }}',
};

describe('Mappings, saved by the operator API', () => {
  let dir: ConfigDirectory;
  let service: ServedGateway;
  beforeEach(async () => {
    dir = new ConfigDirectory();
    dir.write('gateway.json5', {
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        mappings: [{ id: 'first', match: { path: 'first' } }],
      },
      agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
      ops: {
        tokens: [
          { id: 'cid', role: 'configure', token: CONFIGURING },
          { id: 'ana', role: 'operate', token: OPERATING },
        ],
      },
    });
    dir.write('.env', `SECRET=${SECRET}\n`);
    service = await ServedGateway.start(dir.path, { SECRET });
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  function save(mapping: object, revision?: string, id = 'tickets'): Promise<GatewayAnswer> {
    return service.ask('PUT', `${MAPPINGS}/${id}`, {
      body: { mapping, revision },
      token: CONFIGURING,
    });
  }
  const remove = (revision: unknown, id = 'tickets'): Promise<GatewayAnswer> =>
    service.ask('DELETE', `${MAPPINGS}/${id}?revision=${String(revision)}`, { token: CONFIGURING });

  async function listed(): Promise<Mappings> {
    const { status, body } = await service.get(MAPPINGS, { token: CONFIGURING });
    expect(status).toBe(200);
    return body as unknown as Mappings;
  }

  const knock = (hook: string, payload: object = { title: 'Printer' }): Promise<GatewayAnswer> =>
    service.post(`/hooks/${hook}`, payload);

  async function prompt(hook: string, payload: object): Promise<string> {
    const { body } = await service.post('/ops/api/preview', { hook, payload });
    const [action] = body['actions'] as { prompt: string }[];
    return action?.prompt ?? '';
  }

  function files(): string {
    const folder = join(dir.path, 'gateway.d');
    const names = existsSync(folder) ? readdirSync(folder).map((name) => `gateway.d/${name}`) : [];
    return ['gateway.json5', '.env', ...names]
      .map((name) => `${name}: ${readFileSync(join(dir.path, name), 'utf8')}`)
      .join('\n');
  }

  it('is in force when it is answered, in a file of its own, and gone when it is removed', async () => {
    expect((await knock('tickets')).status).toBe(404);
    const { status, body } = await save(TICKETS);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ok: true,
        file: FILE,
        revision: expect.stringMatching(/^[\da-f]{64}$/),
        warnings: [],
        isInForce: true,
        restartFor: [],
      },
    });
    expect((await knock('tickets')).status).toBe(200);
    expect(statSync(join(dir.path, FILE)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dir.path, FILE), 'utf8')).toMatch(
      /^\/\/ Written by "Try of the console"/,
    );
    const { revision } = body;
    expect(await listed()).toEqual({
      unwritable: null,
      mappings: [{ id: 'tickets', file: FILE, revision, mapping: TICKETS }],
    });

    expect((await remove(revision)).body).toMatchObject({ ok: true, revision: null });
    expect((await knock('tickets')).status).toBe(404);
    expect(existsSync(join(dir.path, FILE))).toBe(false);
    expect(await remove(revision)).toMatchObject({
      status: 404,
      body: { code: 'unknown_mapping' },
    });
  });

  it('is told with what was before and after', async () => {
    const { body } = await save(TICKETS);
    await save({ ...TICKETS, name: 'Tickets' }, String(body['revision']));
    const audit = await service.get('/ops/api/audit?actor=cid');
    const [second, first] = audit.body['entries'] as AuditEntry[];
    expect(first).toMatchObject({
      operation: 'PUT /ops/api/mappings/:id',
      subject: 'tickets',
      outcome: 'done',
      before: null,
      after: { id: 'tickets', messageTemplate: TICKETS.messageTemplate },
    });
    expect(second?.before).not.toHaveProperty('name');
    expect(second).toMatchObject({ before: { id: 'tickets' }, after: { name: 'Tickets' } });
    expect(service.log.lines.join('\n')).toContain('the operator saved the mapping tickets');
  });

  it('reads no variable, whatever is written in it', async () => {
    const hostile = ['${SECRET}', '$${SECRET}', '$$${SECRET}', '${HOME}', '${UNSET_ANYWHERE}'];
    for (const text of hostile) {
      const { body } = await listedRevision();
      const saved = await save({ ...TICKETS, messageTemplate: `say ${text}` }, body);
      expect(saved.status).toBe(200);
      const shown = await prompt('tickets', {});
      expect(shown).toContain(`say ${text}`);
      expect(shown).not.toContain(SECRET);
      const { mappings } = await listed();
      expect(mappings[0]?.mapping).toMatchObject({ messageTemplate: `say ${text}` });
    }
    const { body: configuration } = await service.get('/ops/api/configuration');
    expect(JSON.stringify(configuration)).not.toContain(SECRET);
  });
  async function listedRevision(): Promise<{ body: string | undefined }> {
    return { body: (await listed()).mappings[0]?.revision };
  }

  it('says in sentences what would be wrong with the whole, and writes nothing', async () => {
    const before = files();
    for (const [mapping, says] of [
      [{ ...TICKETS, channel: 'chan_99' }, 'channel'],
      [{ ...TICKETS, nonsense: 1 }, 'nonsense'],
      [{ ...TICKETS, ['__proto__']: { polluted: true }, when: 7 }, 'when'],
      [{ ...TICKETS, match: { path: 'first' } }, 'can never match'],
      [{ ...TICKETS, id: 'first' }, 'id must be tickets'],
      [{ ...TICKETS, transform: { module: '../../etc/passwd' } }, 'module'],
      [
        { ...TICKETS, verify: { scheme: 'github', secrets: ['a-secret-over-the-api'] } },
        'is a secret',
      ],
      [{ ...TICKETS, verify: { scheme: 'meta', verifyToken: 'x' } }, 'is a secret'],
      [{ ...TICKETS, allowUnsafeExternalContent: true }, 'safety boundary'],
      [{ match: { path: 'tickets' } }, 'id must be tickets'],
    ] as const) {
      const { status, body } = await save(mapping);
      expect({ says, status, code: body['code'] }).toEqual({
        says,
        status: 400,
        code: 'invalid_body',
      });
      expect(body['error']).toContain(says);
      expect(body['error']).not.toContain('a-secret-over-the-api');
    }
    const taken = await save({ ...TICKETS, id: 'first' }, undefined, 'first');
    expect(taken).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('gateway.json5') },
    });
    expect(files()).toBe(before);
    expect((await knock('tickets')).status).toBe(404);
  });

  it.each([
    ['of a path', '..%2F..%2Fgateway'],
    ['of a hidden file', '.tickets'],
    ['with a zero', 'tickets%00'],
    ['too long', 'x'.repeat(65)],
    ['that is empty of letters', '-'],
  ])('takes no name %s', async (_, id) => {
    const before = files();
    const saved = await save({ ...TICKETS, id: decodeURIComponent(id) }, undefined, id);
    expect([400, 404]).toContain(saved.status);
    expect((await remove('0'.repeat(64), id)).status).toBe(404);
    expect(files()).toBe(before);
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
  });

  it('replaces and removes what was looked at, and nothing else', async () => {
    const { body } = await save(TICKETS);
    const first = String(body['revision']);
    const second = String((await save({ ...TICKETS, name: 'Mine' }, first)).body['revision']);
    const before = files();
    for (const revision of [undefined, first]) {
      const late = await save({ ...TICKETS, name: 'Yours' }, revision);
      expect(late).toMatchObject({ status: 409, body: { code: 'configuration_changed' } });
      expect(late.body['error']).toContain(FILE);
    }
    expect(await remove(first)).toMatchObject({
      status: 409,
      body: { code: 'configuration_changed' },
    });
    expect(files()).toBe(before);
    expect((await save(TICKETS, second)).status).toBe(200);
  });

  it('lets one of two win who save at the same time', async () => {
    const names = ['Ana', 'Ben', 'Cid'];
    const answers = await Promise.all(names.map((name) => save({ ...TICKETS, name })));
    expect(answers.map(({ status }) => status)).toEqual([200, 409, 409]);
    expect((await listed()).mappings[0]?.mapping).toMatchObject({ name: 'Ana' });
  });

  it.each([
    ['was written by a person', () => "{ hooks: { mappings: [{ id: 'tickets' }] } }"],
    [
      'a person has put a variable into',
      (text: string) => text.replace('Ticket {{', '${SECRET} {{'),
    ],
    ['a person has added to', (text: string) => text.replace('hooks: {', 'agents: {}, hooks: {')],
  ])('leaves alone what %s', async (_, change) => {
    const { body } = await save(TICKETS);
    const own = readFileSync(join(dir.path, FILE), 'utf8');
    expect(change(own)).not.toBe(own);
    writeFileSync(join(dir.path, FILE), change(own));
    const before = files();
    const revision = String(body['revision']);
    const refused = { status: 409, body: { code: 'file_not_ours' } };
    expect(await save(TICKETS, revision)).toMatchObject(refused);
    expect(await remove(revision)).toMatchObject(refused);
    expect(await listed()).toEqual({ unwritable: null, mappings: [] });
    expect(files()).toBe(before);
  });

  const WRITING = [
    ['PUT', `${MAPPINGS}/tickets`, { mapping: TICKETS }],
    ['POST', '/ops/api/presets/github', {}],
    ['POST', '/ops/api/tokens', { id: 'uptime' }],
  ] as const;

  it.each(WRITING)('%s %s says where the files cannot be written', async (method, path, body) => {
    symlinkSync(join(dir.path, 'nowhere', 'at-all'), join(dir.path, 'gateway.d'));
    expect(await service.ask(method, path, { body })).toMatchObject({
      status: 501,
      body: { code: 'configuration_read_only' },
    });
    expect((await knock('tickets')).status).toBe(404);
  });

  it.each(WRITING)('%s %s says where the files have problems', async (method, path, body) => {
    dir.write('gateway.json5', '{ hooks: ');
    expect(await service.ask(method, path, { body })).toMatchObject({
      status: 409,
      body: { code: 'configuration_broken' },
    });
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
  });

  it('says so where only the demo is', async () => {
    using empty = new ConfigDirectory();
    await using demo = await ServedGateway.start(empty.path);
    const listing = await demo.get(MAPPINGS);
    expect(listing.body).toEqual({
      unwritable: expect.stringContaining('hooks setup'),
      mappings: [],
    });
    for (const [method, path, body] of WRITING) {
      const answer = await demo.ask(method, path, { body });
      expect(answer).toMatchObject({ status: 409, body: { code: 'demo_configuration' } });
    }
    expect(existsSync(join(empty.path, 'gateway.d'))).toBe(false);
  });

  it('takes no mapping that is too large or too deep', async () => {
    const deep = `{"mapping":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`;
    for (const [body, status] of [
      [deep, 400],
      [{ mapping: { ...TICKETS, task: 'x'.repeat(200_000) } }, 400],
      [{ mapping: [] }, 400],
      [{ mapping: TICKETS, more: 1 }, 400],
      [{ mapping: TICKETS, revision: '../x' }, 400],
    ] as const) {
      expect((await service.ask('PUT', `${MAPPINGS}/tickets`, { body })).status).toBe(status);
    }
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
  });
});
