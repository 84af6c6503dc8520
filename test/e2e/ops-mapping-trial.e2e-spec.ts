import type { MappingTrial } from '../../src/hooks/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const TRIAL = '/ops/api/mappings/trial';
const OPERATING = 'the-token-of-ana-who-operates';
const CONFIGURING = 'the-token-of-cid-who-configures';
const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const SECRET = 'the-password-in-a-payload';
const CI = { id: 'ci', messageTemplate: 'Build {{ number }}', wakeMode: 'next-heartbeat' };

describe('POST /ops/api/mappings/trial', () => {
  let dir: ConfigDirectory;
  let service: ServedGateway;
  beforeAll(async () => {
    dir = new ConfigDirectory().write('gateway.json5', {
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        mappings: [CI, { id: 'other', action: 'ignore' }],
        // However busy the machine is.
        transformLimits: { timeoutMs: 60_000 },
      },
      agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
      ops: {
        tokens: [
          { id: 'ana', role: 'operate', token: OPERATING },
          { id: 'cid', role: 'configure', token: CONFIGURING },
        ],
      },
    });
    service = await ServedGateway.start(dir.path);
    for (const [path, body] of [
      ['ci', { number: 1, password: SECRET }],
      ['ci', { number: 2, branch: 'main' }],
      ['other', { n: 1 }],
    ] as const) {
      const { status } = await service.post(`/hooks/${path}`, body);
      if (status >= 300) throw new Error(`${path} was answered ${status}`);
    }
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  const ask = (mapping: unknown, token = CONFIGURING) =>
    service.ask('POST', TRIAL, { body: { mapping }, token });
  const tried = async (mapping: object): Promise<MappingTrial> => {
    const { status, body } = await ask(mapping);
    expect(status).toBe(200);
    return body as unknown as MappingTrial;
  };

  it('finds none that changes with the mapping as it is, or with one of another path', async () => {
    const same = { events: 3, changed: 0, isComplete: true, examples: [] };
    expect(await tried(CI)).toMatchObject(same);
    expect(await tried({ id: 'new', messageTemplate: 'New' })).toMatchObject(same);
  });

  it('says which events would become something else, and in what, without a word of them', async () => {
    const found = await tried({ ...CI, messageTemplate: 'Run {{ number }} {{ password }}' });
    expect(found).toMatchObject({ changed: 2, examples: [{ hook: 'ci', what: ['prompt'] }, {}] });
    expect(JSON.stringify(found)).not.toContain(SECRET);
    expect(await tried({ ...CI, when: { 'payload.branch': 'main' } })).toMatchObject({
      changed: 1,
      examples: [{ what: expect.arrayContaining(['mapping', 'outcome']) }],
    });
    expect(await tried({ ...CI, sessionKey: 'hook:ci' })).toMatchObject({
      changed: 2,
      examples: [{ what: expect.arrayContaining(['sessionKey']) }, {}],
    });
    expect(await tried({ id: 'other', messageTemplate: 'Other' })).toMatchObject({ changed: 1 });
  });

  it('looks at no event while something is wrong with it', async () => {
    expect(await tried({ ...CI, mesageTemplate: 'x' })).toMatchObject({
      events: 0,
      draft: { problems: [{ key: 'mapping.mesageTemplate' }] },
    });
  });

  it('is for those who configure, and stores nothing', async () => {
    expect(await ask(CI, OPERATING)).toMatchObject({ status: 403 });
    expect(await ask('no mapping')).toMatchObject({ status: 400 });
    const { body } = await service.ask('GET', '/ops/api/events', { token: CONFIGURING });
    expect(body['events']).toHaveLength(3);
  });
});
