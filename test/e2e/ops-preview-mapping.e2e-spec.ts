import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventDetails, Preview } from '../../src/hooks/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import type { GatewayAnswer } from '../support/served-gateway.ts';

const PREVIEW = '/ops/api/preview';
const SECRET = 'the-secret-of-the-signing-sender';
const OUTSIDE = 'the words of a file outside';
const CONFIGURATION = {
  hooks: {
    enabled: true,
    token: 'the-hook-token-of-the-tests',
    defaultSessionKey: 'hook:test',
    allowedSessionKeyPrefixes: ['hook:'],
    presets: ['jenkins'],
    // However busy the machine is.
    transformLimits: { timeoutMs: 60_000 },
    mappings: [
      { id: 'ci', messageTemplate: 'Build {{ number }}' },
      { id: 'ci-late', match: { path: 'ci' }, messageTemplate: 'Late' },
      {
        id: 'signed',
        verify: { scheme: 'github', secrets: [SECRET] },
        messageTemplate: 'Signed {{ n }}',
      },
      { id: 'form', body: 'form', messageTemplate: 'Form {{ a }}' },
    ],
  },
  agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
};

let dir: ConfigDirectory;
let service: ServedGateway;
beforeAll(async () => {
  dir = new ConfigDirectory();
  dir.write('gateway.json5', CONFIGURATION);
  dir.write('secret.js', `export default () => ({ message: '${OUTSIDE}' });`);
  dir.writeTransform(
    'loud.js',
    'export default ({ payload }) => ({ message: `loud ${payload.n}` });',
  );
  dir.writeTransform('reader.js', "import '../secret.js'; export default () => null;");
  dir.writeTransform('process.js', 'export default () => ({ message: String(typeof process) });');
  symlinkSync(join(dir.path, 'secret.js'), join(dir.path, 'transforms', 'link.js'));
  service = await ServedGateway.start(dir.path);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  dir[Symbol.dispose]();
});

function ask(body: object): Promise<GatewayAnswer> {
  return service.post(PREVIEW, body);
}

async function tried(mapping: object, { hook = 'ci', payload = { number: 7, n: 1 } } = {}) {
  const { status, body } = await ask({ hook, payload, mapping });
  expect(status).toBe(200);
  return body as unknown as Preview;
}

/** What would be wrong with it; nothing may have been tried then. */
async function problems(mapping: object, hook?: string) {
  const { draft, actions, considered, mapping: taker } = await tried(mapping, { hook });
  expect({ actions, considered, taker }).toEqual({ actions: [], considered: [], taker: null });
  return draft?.problems;
}

describe('POST /ops/api/preview with a mapping', () => {
  it('tries a new one before all others, and says what the others do', async () => {
    const draft = { id: 'new', match: { path: 'ci' }, messageTemplate: 'New {{ number }}' };
    const preview = await tried(draft);
    expect(preview).toMatchObject({
      mapping: 'new',
      draft: { problems: [] },
      actions: [{ kind: 'agent', message: 'New 7' }],
    });
    expect(preview.considered.map(({ mapping, takes }) => [mapping, takes])).toEqual([
      ['new', true],
      ['ci', false],
      ['ci-late', false],
      ['signed', false],
      ['form', false],
      ['jenkins', false],
    ]);
  });

  it('says why it does not take the request, and which one does', async () => {
    const preview = await tried({ id: 'new', match: { path: 'ci' }, when: { 'payload.n': 2 } });
    expect(preview).toMatchObject({ mapping: 'ci', actions: [{ message: 'Build 7' }] });
    expect(preview.considered[0]).toMatchObject({ mapping: 'new', takes: false });
    expect(preview.considered[0]?.because).toContain('2');
  });

  it('puts one with the id of another in its place', async () => {
    const preview = await tried({ id: 'ci-late', match: { path: 'ci' }, action: 'wake' });
    expect(preview.considered.map(({ mapping }) => mapping).slice(0, 2)).toEqual(['ci', 'ci-late']);
    expect(await tried({ id: 'ci', action: 'wake', textTemplate: 'W' })).toMatchObject({
      mapping: 'ci',
      actions: [{ kind: 'wake', text: 'W', mode: 'now' }],
    });
  });

  it('merges one with the id of a preset over it, as the configuration does', async () => {
    const { actions } = await tried(
      { id: 'jenkins', sessionKey: 'hook:mine' },
      { hook: 'jenkins' },
    );
    expect(actions).toMatchObject([{ sessionKey: 'hook:mine', agentId: 'main' }]);
  });

  it('keeps what the configuration says of the path: nobody need know a secret', async () => {
    const draft = { id: 'more', match: { path: 'signed' }, messageTemplate: 'More {{ n }}' };
    expect(await tried(draft, { hook: 'signed' })).toMatchObject({
      draft: { problems: [] },
      actions: [{ message: 'More 1', trust: { verifiedBy: 'github' } }],
    });
    const verify = { verify: { toleranceSeconds: 5 } };
    const { draft: said } = await tried({ id: 'signed', ...verify }, { hook: 'signed' });
    expect(said?.problems).toEqual([]);
    const form = { id: 'form', messageTemplate: 'B {{ b }}' };
    const { status, body } = await ask({ hook: 'form', payload: 'a=1&b=2', mapping: form });
    expect({ status, actions: body['actions'] }).toMatchObject({
      status: 200,
      actions: [{ message: 'B 2' }],
    });
  });

  it('says what is wrong with it by the places in it', async () => {
    const keys = (found: Awaited<ReturnType<typeof problems>>): unknown =>
      found?.map(({ key }) => key);
    expect(
      keys(await problems({ id: 'new', channel: 'chan_9', colour: 1, match: { path: 7 } })),
    ).toEqual(['mapping.colour', 'mapping.match.path', 'mapping.channel']);
    expect(await problems({ id: 'x', messageTemplate: '{{ a' })).toEqual([
      { key: 'mapping.messageTemplate', message: expect.stringContaining('(mapping "x"') },
    ]);
    expect(keys(await problems({}))).toEqual(['mapping']);
    expect(keys(await problems({ id: 'x', when: { 'payload.a': { no: 1 } } }))).toEqual([
      'mapping.when["payload.a"].no',
    ]);
    expect(keys(await problems({ id: 'x', sessionKey: 'other:x' }))).toEqual([
      'mapping.sessionKey',
    ]);
  });

  it('says where it makes another one wrong, by the place that one has', async () => {
    const other = { match: { path: 'signed' }, orToken: false, messageTemplate: 'x' };
    const found = await problems({ ...other, verify: { scheme: 'gitlab', secrets: ['x'] } });
    expect(found).toEqual([
      {
        key: 'hooks.mappings[2].verify',
        message: expect.stringMatching(/this mapping.* comes first/),
      },
    ]);
  });

  it('warns of what cannot be meant, of itself and of others', async () => {
    const shadowing = { id: 'all', match: { path: 'ci' }, messageTemplate: 'x' };
    expect((await tried(shadowing)).draft?.warnings).toEqual(
      ['hooks.mappings[0] (mapping "ci")', 'hooks.mappings[1] (mapping "ci-late")'].map((key) => ({
        key,
        message: expect.stringMatching(/^can never match: this mapping \(mapping "all"\)/),
      })),
    );
    const { draft } = await tried({ id: 'new', agentId: 'nobody' });
    expect(draft?.warnings.map(({ key }) => key)).toEqual(['mapping.agentId']);
  });

  it('runs a transform of the transforms directory, in the sandbox', async () => {
    const draft = { id: 'ci', transform: { module: 'loud.js' } };
    expect((await tried(draft)).actions).toMatchObject([{ message: 'loud 1' }]);
    const inside = { id: 'ci', transform: { module: 'process.js' } };
    expect((await tried(inside)).actions).toMatchObject([{ message: 'undefined' }]);
  });

  it.each([
    '../secret.js',
    'link.js',
    'reader.js',
    'data:text/javascript,export default () => null',
    'loud.js\0',
    'nothing.js',
  ])('runs and reads nothing else: %j', async (module) => {
    const { text, body } = await ask({
      hook: 'ci',
      payload: {},
      mapping: { id: 'ci', transform: { module } },
    });
    const { draft, actions } = body as unknown as Preview;
    expect(draft?.problems.map(({ key }) => key)).toEqual(['mapping.transform.module']);
    expect(actions).toEqual([]);
    expect(text).not.toContain(OUTSIDE);
    expect(text).not.toContain(dir.path);
    expect(text).not.toContain('root:');
  });

  it('tells no secret of the configuration', async () => {
    for (const verify of [{ scheme: 'stripe' }, { secrets: [] }, { scheme: 'nobody' }, {}]) {
      const { text } = await ask({ hook: 'signed', mapping: { id: 'signed', verify } });
      expect(text).not.toContain(SECRET);
    }
  });

  it.each([
    ['a list', []],
    ['a text', 'x'],
    ['a number', 1],
    ['too much', { id: 'x', task: 'x'.repeat(100_000) }],
  ])('refuses %s for a mapping', async (_, mapping) => {
    const { status, body } = await ask({ hook: 'ci', mapping });
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'invalid_body' });
    expect(String(body['error'])).toContain('mapping must be an object of at most');
  });

  it.each([
    ['a constructor', '{"constructor":{"prototype":1}}', 'mapping.constructor'],
    ['null', '{"id":"x","redact":[null]}', 'mapping.redact'],
    ['many levels', `{"id":"x","when":${'{"a":'.repeat(900)}1${'}'.repeat(900)}}`, 'mapping.when'],
    ['a list of lists', '{"id":"x","messageTemplate":[[["x"]]]}', 'mapping.messageTemplate'],
  ])('says what is wrong with %s', async (_, mapping, key) => {
    const { status, body } = await service.post(PREVIEW, `{"hook":"ci","mapping":${mapping}}`);
    const { draft, actions } = body as unknown as Preview;
    expect({ status, actions }).toEqual({ status: 200, actions: [] });
    expect(draft?.problems[0]?.key.slice(0, key.length)).toBe(key);
  });

  it('lets nothing into the prototype of objects', async () => {
    const mapping = '{"__proto__":{"polluted":1},"id":"ci","when":{"__proto__":{"polluted":1}}}';
    const { status } = await service.post(PREVIEW, `{"hook":"ci","mapping":${mapping}}`);
    expect(status).toBe(200);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('leaves nothing behind', async () => {
    await tried({ id: 'ci', action: 'wake', textTemplate: 'W' });
    const { body } = await ask({ hook: 'ci', payload: { number: 3 } });
    expect(body).toMatchObject({ draft: null, actions: [{ kind: 'agent', message: 'Build 3' }] });
    const { body: events } = await service.get('/ops/api/events');
    expect(events['events']).toEqual([]);
  });

  it('is not for the requests of others, of which it could name what stories leave out', async () => {
    const { status, body } = await ask({ event: 'e1', mapping: { id: 'ci' } });
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'invalid_body' });
  });
});

describe('POST /ops/api/preview of an event', () => {
  it('has all that its story can be compared with', async () => {
    await using own = await ServedGateway.start(freshDirectory());
    const sent = await own.post('/hooks/ci?by=ada', { number: 9 });
    expect(sent.status).toBe(200);
    const id = String(sent.body['eventId']);
    const story = await eventually('the event ends', async () => {
      const { body } = await own.get(`/ops/api/events/${id}`);
      const details = body as unknown as EventDetails;
      return details.status === 'done' && details;
    });
    const { body } = await own.post(PREVIEW, { event: id });
    const now = body as unknown as Preview;
    expect({ mapping: now.mapping, hook: now.hook, skipped: now.skipped }).toEqual({
      mapping: story.mapping,
      hook: story.hook,
      skipped: story.skipped,
    });
    const prompts = now.actions.map(({ prompt, costs }) => ({ prompt, costs }));
    expect(now.actions).toEqual(story.actions.map((one, at) => ({ ...one, ...prompts[at] })));
    const withoutIds = (text: string | null | undefined): string =>
      String(text)
        .replaceAll(/id="[0-9a-f]+"/g, 'id')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T');
    expect(withoutIds(now.actions[0]?.prompt)).toBe(withoutIds(story.runs[0]?.prompt));
  });
});

/** A directory of its own beside the shared one: a data directory has one service. */
function freshDirectory(): string {
  const path = join(dir.path, 'other');
  mkdirSync(path);
  writeFileSync(join(path, 'gateway.json5'), JSON.stringify(CONFIGURATION), { mode: 0o600 });
  return path;
}
