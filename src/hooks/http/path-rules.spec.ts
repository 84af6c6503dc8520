import { checkOptions } from '../operating/inspect-options.ts';
import { resolveOptions } from '../options/index.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { compilePathRules } from './path-rules.ts';

const verify = { scheme: 'github', secrets: ['a-secret'] };
const token = 'a-hook-token-of-decent-length';

function compile(options: HooksSettingsInput): ReturnType<typeof compilePathRules> {
  return compilePathRules(resolveOptions({ enabled: true, token, ...options }).resolved);
}

async function refusals(mappings: HooksSettingsInput['mappings']): Promise<string[]> {
  const { problems } = await checkOptions({ enabled: true, token, mappings: mappings ?? [] });
  return problems.map(({ key, message }) => `${key} ${message}`);
}

const at = (path: string) => ({ match: { path } });

describe('Path rules', () => {
  it('a path of which nothing is said has none', () => {
    const { rules, problems } = compile({ mappings: [{ id: 'a' }], presets: ['grafana'] });
    expect([...rules.keys()]).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('the first mapping of a path speaks for all of them', () => {
    const { rules, problems } = compile({
      mappings: [
        { id: 'one', match: { path: '/in/', source: 'a' }, verify, body: 'form', maxBodyBytes: 5 },
        { id: 'two', ...at('in') },
        { id: 'other' },
      ],
    });
    expect(problems).toEqual([]);
    expect([...rules.keys()]).toEqual(['in']);
    expect(rules.get('in')).toMatchObject({
      body: 'form',
      orToken: false,
      limits: { maxBodyBytes: 5, bodyTimeoutSeconds: 30 },
      scheme: { id: 'github' },
    });
  });

  const MIB = 1_048_576;
  const signed = { id: 'github', verify: { scheme: 'github', secrets: ['0123456789abcdef'] } };

  it.each<[string, HooksSettingsInput, number, string[]]>([
    ['what its sender sends', { maxInFlightBytes: 32 * MIB }, 25 * MIB, []],
    [
      'what memory allows, with a warning',
      { maxInFlightBytes: 8 * MIB },
      8 * MIB,
      [
        'hooks.maxInFlightBytes lets bodies of 8388608 bytes in at github, whose sender sends up to 26214400: larger ones are refused (413); give the service more memory, or set it higher',
      ],
    ],
    ['the usual one at least', { maxInFlightBytes: 1000 }, MIB, [expect.any(String)]],
    ['what the operator wrote for all', { maxBodyBytes: 5, maxInFlightBytes: MIB }, 5, []],
    [
      'what the operator wrote for the path',
      { maxBodyBytes: 5, maxInFlightBytes: MIB, mappings: [{ ...signed, maxBodyBytes: 9 * MIB }] },
      9 * MIB,
      [],
    ],
  ])('the limit of a preset: %s', (_what, options, limit, warned) => {
    const { rules, problems, warnings } = compile({
      presets: ['github'],
      mappings: [signed],
      ...options,
    });
    expect(problems).toEqual([]);
    expect(rules.get('github')?.limits.maxBodyBytes).toBe(limit);
    expect(warnings.map(({ key, message }) => `${key} ${message}`)).toEqual(warned);
  });

  it('warns of secrets that can be guessed', () => {
    const secrets = ['a-secret-of-decent-length', 'short'];
    const mappings = [{ id: 'a', verify: { scheme: 'github', secrets } }];
    const { problems, warnings } = compile({ mappings });
    expect(problems).toEqual([]);
    expect(warnings.map(({ key }) => key)).toEqual(['hooks.mappings[0].verify.secrets[1]']);
    expect(warnings[0]?.message).toContain('is shorter than 16 characters');
  });

  it('a new sender signs by Standard Webhooks, where no scheme is named', () => {
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
    const { rules, problems, warnings } = compile({
      mappings: [{ id: 'new', verify: { secrets } }],
    });
    expect([problems, warnings]).toEqual([[], []]);
    expect(rules.get('new')?.signer?.verifier.scheme.id).toBe('standard-webhooks');
  });

  it('a number of Strava can be guessed, so the path must not', () => {
    const verify = { scheme: 'strava', secrets: ['12345'] };
    const { problems, warnings } = compile({ mappings: [{ id: 'strava', verify }] });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      {
        key: 'hooks.mappings[0].verify.secrets',
        message: expect.stringContaining('give the hook a match.path of at least 16 characters'),
      },
    ]);
    const match = { path: 'strava-k3Jd81hsQ0' };
    expect(compile({ mappings: [{ match, verify }] }).warnings).toEqual([]);
  });

  it('senders with secrets of their own need none of the path itself, and each is told from the others', async () => {
    const senders = [
      { id: 'acme', secrets: ['the-old-secret-of-acme', 'short'] },
      { id: 'zeta', secrets: ['the-only-secret-of-zeta'] },
    ];
    const at = (verify: object) => [
      { id: 'in', verify: { scheme: 'standard-webhooks', ...verify } },
    ];
    const github = compile({ mappings: [{ id: 'in', verify: { scheme: 'github', senders } }] });
    expect(github.problems).toEqual([]);
    expect(github.rules.get('in')?.signer?.secrets.map(({ sender }) => sender)).toEqual([
      'acme',
      'acme',
      'zeta',
    ]);
    expect(github.warnings).toEqual([
      {
        key: 'hooks.mappings[0].verify.senders[0].secrets[1]',
        message: expect.stringMatching(/^is shorter than 16/),
      },
    ]);
    const key = 'bm9ib2R5LWd1ZXNzZXMtdGhpcy1rZXk=';
    const same = { id: 'acme', secrets: [key, '!'] };
    const problems = compile({
      mappings: at({ secrets: [`whsec_${key}`], senders: [same, { id: 'acme', secrets: [' '] }] }),
    }).problems;
    expect(problems.map((one) => `${one.key} ${one.message}`)).toEqual([
      expect.stringMatching(/senders\[1\]\.id is also the id of verify\.senders\[0\]; list/),
      expect.stringMatching(
        /senders\[0\]\.secrets\[0\] is the same secret as verify\.secrets\[0\]; give/,
      ),
      expect.stringMatching(/senders\[1\]\.secrets\[0\] must not be blank/),
    ]);
    expect(await refusals(at({ senders: [{ id: 'a b', secrets: [] }] }))).toEqual([
      expect.stringMatching(/senders\[0\]\.id must be 1 to 64 letters/),
      expect.stringMatching(/senders\[0\]\.secrets must hold at least one secret/),
    ]);
  });

  it('a mapping that takes the name of a built-in hook that is switched off may ask for a signature', async () => {
    const mappings = [{ id: 'wake', verify, messageTemplate: 'x' }];
    const options = { enabled: true, token, endpoints: { wake: false }, mappings };
    expect((await checkOptions(options)).problems).toEqual([]);
    expect(compile(options).rules.get('wake')?.signer?.secrets).toMatchObject([
      { text: 'a-secret' },
    ]);
  });

  it('mappings of one path may all say the same', async () => {
    expect(
      await refusals([
        { id: 'one', match: { path: 'in', source: 'a' }, verify: { ...verify } },
        { id: 'two', ...at('/in'), verify: { ...verify } },
      ]),
    ).toEqual([]);
  });

  it('secrets for a preset may come behind a mapping of its path that says nothing of signatures', () => {
    const { rules, problems } = compile({
      presets: ['github'],
      mappings: [
        { id: 'releases', ...at('github'), when: { 'payload.action': 'published' } },
        { id: 'github', verify: { secrets: ['a-secret'] } },
      ],
    });
    expect(problems).toEqual([]);
    expect(rules.get('github')?.signer?.secrets).toMatchObject([{ text: 'a-secret' }]);
  });

  it.each([
    [
      'a later one says more',
      [
        { id: 'one', match: { path: 'in', source: 'a' } },
        { id: 'two', ...at('in'), verify },
      ],
    ],
    [
      'a later one says otherwise',
      [
        { id: 'one', match: { path: 'in', source: 'a' }, verify },
        { id: 'two', ...at('in'), verify: { scheme: 'github', secrets: ['another-one'] } },
      ],
    ],
  ])('the start is refused when %s', async (_name, mappings) => {
    expect(await refusals(mappings)).toEqual([
      expect.stringMatching(
        /^mappings\[1\]\.verify belongs to the path, and mappings\[0\] \(mapping "one"\) comes first there; set it in that one/,
      ),
    ]);
  });

  it.each<[string, NonNullable<HooksSettingsInput['mappings']>[number], string]>([
    [
      'any path',
      { match: {}, verify, messageTemplate: 'x' },
      'mappings[0].verify belongs to one path',
    ],
    [
      'any path of a source',
      { match: { source: 'x' }, body: 'form' },
      'mappings[0].body belongs to one path',
    ],
    [
      'a built-in',
      { ...at('wake'), verify },
      'mappings[0].verify cannot be set for the built-in hook wake',
    ],
    [
      'a built-in by its id',
      { id: 'agent', maxBodyBytes: 1 },
      'mappings[0].maxBodyBytes cannot be set for the built-in hook agent',
    ],
    [
      'no secrets',
      { id: 'a', verify: { scheme: 'github' } },
      'mappings[0].verify.secrets is missing',
    ],
    [
      'a verify token of a sender that signs nothing',
      { id: 'a', verify: { scheme: 'okta', verifyToken: 'x' } },
      'mappings[0].verify.secrets is missing',
    ],
    [
      'no scheme for a sender that is known by its name',
      { id: 'github', verify: { secrets: ['x'] } },
      "mappings[0].verify.scheme is missing; is the sender GitHub? Then write scheme: 'github', or enable the preset",
    ],
    [
      'no scheme, and no secret that a new sender would have',
      { id: 'a', verify: { secrets: ['ab!'] } },
      'mappings[0].verify.secrets[0] must be Base64',
    ],
    [
      'orToken alone',
      { id: 'a', orToken: true },
      'mappings[0].orToken has no meaning without verify.secrets',
    ],
    [
      'a header for a token that is not taken',
      { id: 'a', verify, tokenHeader: 'x-y' },
      'mappings[0].tokenHeader has no meaning',
    ],
    [
      'a header for the token in which the sender proves itself',
      { id: 'a', verify, orToken: true, tokenHeader: 'X-Hub-Signature-256' },
      'mappings[0].tokenHeader is where GitHub puts its own proof',
    ],
    [
      'a variable in code',
      { id: 'a', verify: { scheme: 'github', secrets: ['${X}'] } },
      'mappings[0].verify.secrets[0] names a variable',
    ],
    [
      'no header',
      { id: 'a', tokenHeader: 'x y' },
      'mappings[0].tokenHeader must be the name of a header',
    ],
    [
      'the header that has the token in any case',
      { id: 'a', tokenHeader: 'Authorization' },
      'mappings[0].tokenHeader must be the name of a header other than Authorization',
    ],
  ])('the start is refused for %s', async (_name, mapping, beginning) => {
    const found = await refusals([mapping]);
    expect(found.filter((sentence) => sentence.startsWith(beginning))).toHaveLength(1);
    expect(found.join()).not.toContain('a-secret');
  });

  it('a scheme that signs the URL needs to know it', async () => {
    const mappings = [{ id: 'a', verify: { scheme: 'twilio', secrets: ['x'] } }];
    expect(await refusals(mappings)).toEqual([expect.stringContaining('publicUrl')]);
    const given = { enabled: true, token, mappings, publicUrl: 'https://hooks.example.com' };
    expect((await checkOptions(given)).problems).toEqual([]);
    const { problems } = await checkOptions({ ...given, publicUrl: 'https://hooks.example.com/' });
    expect(problems).toEqual([
      { key: 'publicUrl', message: expect.stringContaining('without a trailing slash') },
    ]);
  });

  it('a scheme whose sender sends forms takes forms', () => {
    const { rules } = compile({
      publicUrl: 'https://hooks.example.com',
      mappings: [{ id: 'a', verify: { scheme: 'twilio', secrets: ['x'] } }],
    });
    expect(rules.get('a')?.body).toBe('form');
  });
});
