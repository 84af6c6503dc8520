import { createHmac, hash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Stripe } from 'stripe';
import { checkOptions } from '../../src/hooks/operating/inspect-options.ts';
import type { HooksSettingsInput } from '../../src/hooks/options/index.ts';
import { changedFiles, readConfigurationFiles } from '../../src/service/configuration/files.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const SECRET = 'a-secret-of-good-length';
const stripe = new Stripe('sk_test_nobody');

/** Signs the method, the address and the body, in Base64 for URLs. */
const SCHEME = {
  name: 'Acme',
  proofs: [
    {
      kind: 'signature',
      algorithm: 'hmac-sha512',
      at: { header: 'x-acme-tag' },
      encoding: 'base64url',
      signed: '{method} {url} {body}',
    },
  ],
  canSendToken: false,
  confidence: 'docs-excerpt',
};
const PRESET = {
  verify: { scheme: 'acme' },
  setup: ['Acme → Webhooks: {url}, and copy the secret.'],
  name: 'Acme',
  task: { report: ['A shop for anvils reports an order.'] },
  cases: [
    {
      id: 'acme-order',
      when: { 'payload.type': 'order' },
      messageTemplate: ['Acme: {{ count }} anvils'],
    },
  ],
};
const tokens = (keys: string, claims: object) => ({
  scheme: {
    ...SCHEME,
    proofs: [{ kind: 'jwt', at: { header: 'authorization' }, keys, claims }],
  },
});
const MAPPING = { id: 'acme', verify: { secrets: [SECRET] } };
const PUBLIC_URL = 'https://hooks.example.org';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function write(file: string, content: unknown): void {
  const path = join('gateway.d', 'senders', file);
  mkdirSync(dirname(join(dir.path, path)), { recursive: true });
  dir.write(path, content);
}

function writeAcme(files: { readonly scheme?: object; readonly preset?: object } = {}): void {
  const { scheme = SCHEME, preset = PRESET } = files;
  write('acme/scheme.json5', scheme);
  write('acme/preset.json5', preset);
}

function start(more: Parameters<typeof Hooks.start>[0] = {}): Promise<Hooks> {
  return Hooks.start({
    configDir: dir.path,
    publicUrl: PUBLIC_URL,
    presets: ['acme'],
    mappings: [MAPPING],
    ...more,
  });
}

async function problemsOf(input: HooksSettingsInput): Promise<string> {
  const own = { enabled: true, token: SECRET, configDir: dir.path };
  const { problems } = await checkOptions({ ...own, ...input });
  return problems.map(({ key, message }) => `${key} ${message}`).join('\n');
}

describe('hooks.schemes', () => {
  const persona = { like: 'stripe', header: 'Persona-Signature', name: 'Persona' };
  const mapping = {
    id: 'persona',
    match: { path: 'persona' },
    verify: { scheme: 'persona', secrets: [SECRET] },
  };

  it('a scheme that is like one of ours under another header', async () => {
    const hooks = await Hooks.start({ schemes: { persona }, mappings: [mapping] });
    try {
      const payload = JSON.stringify({ id: randomUUID(), type: 'inquiry.completed' });
      const tag = stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET });
      const body: unknown = JSON.parse(payload);
      const send = (headers: Record<string, string>) =>
        hooks.post('/persona', body, { authorization: '', ...headers });
      expect((await send({ 'persona-signature': tag })).status).toBe(200);
      expect((await send({ 'persona-signature': tag.replace(/.$/u, 'x') })).status).toBe(401);
      expect((await send({ 'stripe-signature': tag })).status).toBe(401);
    } finally {
      await hooks.close();
    }
  });

  it.each<[string, object, string]>([
    [
      'like nobody',
      { like: 'strip' },
      'schemes.persona.like is no scheme that signs; did you mean stripe?',
    ],
    [
      'with a hash of what has none',
      { like: 'telegram', hash: 'sha1' },
      'schemes.persona.hash has no meaning for a scheme like telegram',
    ],
    [
      'that signs a part of nothing',
      { like: 'github', signed: '{boddy}' },
      'schemes.persona.proofs[0].signed must be a text with {body}',
    ],
  ])('refuses one %s', async (_, scheme, expected) => {
    expect(await problemsOf({ schemes: { persona: scheme } })).toContain(expected);
  });

  it.each<[string, (at: number) => string]>([
    ['seconds', (at) => String(Math.floor(at / 1000))],
    ['milliseconds', String],
    ['microseconds', (at) => `${at}000`],
    ['nanoseconds', (at) => `${at}000000`],
    ['ISO 8601', (at) => new Date(at).toISOString()],
  ])('takes a time of signing in %s, and an old one in none', async (_, written) => {
    const pocket = {
      like: 'hmac',
      header: 'x-pocket-signature',
      timestampHeader: 'x-pocket-timestamp',
      signed: '{timestamp}.{body}',
      prefix: '',
    };
    const verify = { scheme: 'pocket', secrets: [SECRET] };
    const hooks = await Hooks.start({
      schemes: { pocket },
      mappings: [{ id: 'pocket', match: { path: 'pocket' }, verify }],
    });
    try {
      const send = async (at: number): Promise<[number, number]> => {
        const body = { id: randomUUID() };
        const time = written(at);
        const tag = createHmac('sha256', SECRET).update(`${time}.${JSON.stringify(body)}`);
        const { status } = await hooks.post('/pocket', body, {
          authorization: '',
          'x-pocket-signature': tag.digest('hex'),
          'x-pocket-timestamp': time,
        });
        return [status, await hooks.stored()];
      };
      const now = Date.now();
      expect(await send(now - 400_000)).toEqual([401, 0]);
      expect(await send(now + 400_000)).toEqual([401, 0]);
      expect(await send(now)).toEqual([200, 1]);
    } finally {
      await hooks.close();
    }
  });

  it('is what hooks send signs as, too', async () => {
    const mappings = [{ id: 'kyc', verify: { scheme: 'persona', secrets: [SECRET] } }];
    dir.write('gateway.json5', {
      gateway: { auth: { token: 'the-operator-token-of-the-tests' } },
      hooks: {
        enabled: true,
        token: 'the-hook-token-of-the-tests',
        schemes: { persona },
        mappings,
      },
    });
    const args = ['send', 'kyc', '--payload', '-', '--dry-run', '--json'];
    const { code, stdout } = await hooksCall(args, { cwd: dir.path, input: '{}' });
    expect(code).toBe(0);
    const tag = String(JSON.parse(stdout).headers['persona-signature']);
    expect(stripe.webhooks.constructEvent('{}', tag, SECRET)).toEqual({});
  });
});

describe('a folder of gateway.d/senders', () => {
  it('has a preset and a scheme that work as ours do', async () => {
    writeAcme();
    const hooks = await start();
    try {
      const post = (body: object, signed = JSON.stringify(body)) => {
        const content = `POST ${PUBLIC_URL}/hooks/acme ${signed}`;
        const tag = createHmac('sha512', SECRET).update(content).digest('base64url');
        return hooks.post('/acme', body, { authorization: '', 'x-acme-tag': tag });
      };
      const answer = await post({ type: 'order', count: 3 });
      expect(answer.status).toBe(200);
      const { eventId } = (await answer.json()) as { eventId: string };
      const { mapping, runs } = await hooks.ended(eventId);
      expect(mapping).toBe('acme-order');
      expect(runs[0]?.prompt).toMatch(/^A shop for anvils reports an order\. Use only facts/u);
      expect(runs[0]?.prompt).toContain('Acme: 3 anvils');
      expect((await post({ type: 'order', count: 4 }, '{}')).status).toBe(401);
      expect(await (await post({ type: 'refund' })).json()).toMatchObject({ skipped: true });
    } finally {
      await hooks.close();
    }
  });

  it('has a scheme with a plain digest of its secret and the body', async () => {
    const [proof] = SCHEME.proofs;
    const plain = { ...proof, algorithm: 'sha256', encoding: 'hex', signed: '{secret}{body}' };
    writeAcme({ scheme: { ...SCHEME, proofs: [plain] } });
    const secrets = ['another-{body}-of-good-length', SECRET];
    const hooks = await start({ mappings: [{ id: 'acme', verify: { secrets } }] });
    try {
      const post = (body: object, secret: string, signed = JSON.stringify(body)) =>
        hooks.post('/acme', body, {
          authorization: '',
          'x-acme-tag': hash('sha256', secret + signed),
        });
      const order = { type: 'order', count: 3 };
      const first = await post(order, SECRET);
      expect(first.status).toBe(200);
      const again = await post(order, SECRET);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await post({ type: 'order' }, secrets[0]!)).status).toBe(200);
      expect((await post(order, 'not-the-secret')).status).toBe(401);
      expect((await post(order, '')).status).toBe(401);
      expect((await post(order, SECRET, '{}')).status).toBe(401);
    } finally {
      await hooks.close();
    }
  });

  it('answers what its sender asks, with no more than the request brought', async () => {
    const handshakes = [
      {
        when: { method: 'GET', at: { query: 'ask' }, is: 'header' },
        from: 'anybody',
        answer: { status: 202, headers: { 'webhook-echo': '{query:echo}' } },
      },
      {
        when: { method: 'GET', at: { query: 'echo' } },
        from: 'anybody',
        answer: { status: 200, text: 'echo: {query:echo}{query:more}' },
      },
      {
        when: { method: 'POST', at: { field: 'ask.tag' } },
        from: 'verified',
        answer: {
          status: 200,
          json: { tag: 'v1={hmac}', version: 1, isNew: true },
          hmac: { of: { field: 'ask.tag' }, hash: 'sha512', encoding: 'base64url' },
        },
      },
    ];
    writeAcme({ scheme: { ...SCHEME, handshakes } });
    const hooks = await start();
    try {
      const get = (query: string) => fetch(`${hooks.url}/hooks/acme?${query}`);
      const script = '<script>alert(1)</script>';
      const echoed = await get(`echo=${encodeURIComponent(script)}`);
      expect(echoed.status).toBe(200);
      expect(echoed.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(echoed.headers.get('x-content-type-options')).toBe('nosniff');
      expect(await echoed.text()).toBe(`echo: ${script}`);
      const half = 'x'.repeat(600);
      expect((await get(`echo=${half}&more=${half}`)).status).toBe(400);
      const header = await get('ask=header&echo=x%20y');
      expect([header.status, header.headers.get('webhook-echo')]).toEqual([202, 'x y']);
      expect((await get('ask=header&echo=x%0D%0Aset-cookie:%20a')).status).toBe(400);
      expect((await get('ask=other')).status).toBe(405);

      const body = { ask: { tag: 'a-tag' } };
      const content = `POST ${PUBLIC_URL}/hooks/acme ${JSON.stringify(body)}`;
      const tag = (text: string) => createHmac('sha512', SECRET).update(text).digest('base64url');
      const ask = (proof: string) =>
        hooks.post('/acme', body, { authorization: '', 'x-acme-tag': proof });
      expect((await ask(tag('other'))).status).toBe(401);
      expect(await (await ask(tag(content))).json()).toEqual({
        tag: `v1=${tag('a-tag')}`,
        version: 1,
        isNew: true,
      });
    } finally {
      await hooks.close();
    }
  });

  it('takes the place of ours with its name', async () => {
    const preset = { setup: ['{url}'], task: { report: ['Say it.'] }, messageTemplate: 'mine' };
    write('jenkins/preset.json5', preset);
    const hooks = await start({ presets: ['jenkins'], mappings: [] });
    try {
      const { eventId } = await hooks.ask('/jenkins', { name: 'build' });
      expect((await hooks.ended(eventId)).runs[0]?.prompt).toContain('\nmine\n');
    } finally {
      await hooks.close();
    }
  });

  it.each<[string, Parameters<typeof writeAcme>[0], string]>([
    [
      'a scheme',
      { scheme: { ...SCHEME, proofs: [{ kind: 'magic' }] } },
      'gateway.d/senders/acme/scheme.json5: proofs[0].kind must be one of',
    ],
    [
      'a digest that anybody can compute',
      { scheme: { ...SCHEME, proofs: [{ ...SCHEME.proofs[0], algorithm: 'sha256' }] } },
      'gateway.d/senders/acme/scheme.json5: proofs[0].signed must have {secret}, or anybody',
    ],
    [
      'a secret that is signed besides being the key',
      { scheme: { ...SCHEME, proofs: [{ ...SCHEME.proofs[0], signed: '{secret}{body}' }] } },
      'gateway.d/senders/acme/scheme.json5: proofs[0].signed has {secret}, which is the key',
    ],
    [
      'tokens that anybody gets',
      tokens('https://issuer.example/keys', { aud: '{url}' }),
      'gateway.d/senders/acme/scheme.json5: proofs[0].claims must say which one is {secret}',
    ],
    [
      'keys that anybody on the way can replace',
      tokens('http://issuer.example/keys', { sub: '{secret}' }),
      'proofs[0].keys must be an address that begins with https://',
    ],
    [
      'a handshake',
      {
        scheme: {
          ...SCHEME,
          handshakes: [
            { when: { method: 'GET' }, from: 'anybody', answer: { status: 200, text: '{env:A}' } },
          ],
        },
      },
      'gateway.d/senders/acme/scheme.json5: handshakes[0].answer.text must be texts of',
    ],
    [
      'a preset',
      { preset: { ...PRESET, nmae: 'x' } },
      'gateway.d/senders/acme/preset.json5: nmae is not a known key',
    ],
  ])('is refused with the file and the key that is wrong in %s', async (_, files, expected) => {
    writeAcme(files);
    expect(await problemsOf({})).toContain(expected);
  });

  it('has samples that are listed and sent, signed as its sender signs', async () => {
    writeAcme();
    const sample = { source: 'acme.example/docs', headers: { 'x-acme-kind': 'order' } };
    write('acme/samples/order.json', { ...sample, body: { type: 'order', count: 3 } });
    const hooks = await start({ presets: ['acme'] });
    try {
      dir.write('gateway.json5', {
        gateway: { port: Number(new URL(hooks.url).port), auth: { token: `${TOKEN}-operator` } },
        hooks: {
          enabled: true,
          token: TOKEN,
          publicUrl: PUBLIC_URL,
          presets: ['acme'],
          mappings: [MAPPING],
        },
      });
      const call = (...args: string[]) => hooksCall(args, { cwd: dir.path, env: {} });
      expect((await call('send', 'acme')).stdout).toBe('hooks send acme order\n');
      const sent = await call('send', 'acme', 'order', '--no-wait', '--json');
      expect([sent.stderr, sent.code]).toEqual(['', 0]);
      const { eventId } = JSON.parse(sent.stdout) as { eventId: string };
      expect((await hooks.details(eventId)).request).toMatchObject({
        verifiedBy: 'acme',
        headers: { 'x-acme-kind': 'order' },
      });
      expect((await hooks.ended(eventId)).runs[0]?.prompt).toContain('Acme: 3 anvils');
    } finally {
      await hooks.close();
    }
  });

  it.each<[string, unknown]>([
    ['has no source', { headers: {}, body: 1 }],
    ['has no body', { source: 'x', headers: {} }],
    ['has two bodies', { source: 'x', headers: {}, body: 1, text: '1' }],
    ['has a header in capitals', { source: 'x', headers: { 'X-Acme': 'a' }, body: 1 }],
    ['has a header that is no text', { source: 'x', headers: { 'x-acme': 1 }, body: 1 }],
    ['is no JSON', '{'],
  ])('is refused with a sample that %s', async (_, sample) => {
    writeAcme();
    write('acme/samples/order.json', sample);
    expect(await problemsOf({})).toContain(
      'gateway.d/senders/acme/samples/order.json must be JSON with source and headers',
    );
  });

  it('is refused when a file is no JSON5', async () => {
    writeAcme();
    write('acme/preset.json5', '{ setup: ');
    expect(await problemsOf({})).toContain('gateway.d/senders/acme/preset.json5 cannot be read');
  });

  it('is among the files of which a reload notices that they changed', () => {
    const before = readConfigurationFiles(dir.path);
    writeAcme();
    const after = readConfigurationFiles(dir.path);
    expect(changedFiles(before, after)).toEqual([
      'gateway.d/senders/acme/preset.json5',
      'gateway.d/senders/acme/scheme.json5',
    ]);
  });

  it('is listed by hooks setup', async () => {
    writeAcme();
    dir.write('gateway.json5', { hooks: { enabled: true, token: SECRET } });
    const { stdout } = await hooksCall(['setup'], { cwd: dir.path });
    expect(stdout).toMatch(/^acme +Acme /mu);
  });
});
