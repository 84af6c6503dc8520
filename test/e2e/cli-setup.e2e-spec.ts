import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import JSON5 from 'json5';
import { writeFragment } from '../../src/service/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServedCommands } from '../support/served-commands.ts';
import type { Ending } from '../support/service-process.ts';
import { hmac } from '../support/signed.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';

const TOKEN = 'the-hook-token-of-the-tests';
const URL_FLAG = ['--url', 'https://hooks.example.org'];
const OWN = `// my own
{
  hooks: { enabled: true, token: '${TOKEN}', defaultSessionKey: 'hook:ingress', presets: ['gitea'] },
  agents: { defaults: { runner: { type: 'demo' } } },
}
`;

let dir: ConfigDirectory;
beforeEach(() => {
  dir = new ConfigDirectory();
});
afterEach(() => dir[Symbol.dispose]());

function setup(
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ending> {
  return hooksCall(['setup', ...args], { cwd: dir.path, env, input });
}

function written(name: string): string {
  return readFileSync(join(dir.path, name), 'utf8');
}

interface Fragment {
  readonly hooks: {
    readonly tokens?: readonly { readonly id: string; readonly tokens: readonly string[] }[];
    readonly presets: readonly string[];
    readonly publicUrl?: string;
    readonly mappings?: readonly {
      readonly id: string;
      readonly verify?: { readonly secrets: readonly string[] };
    }[];
  };
}

function fragment(id: string): Fragment['hooks'] {
  return JSON5.parse<Fragment>(written(`gateway.d/${id}.json5`)).hooks;
}

function secretsOf(id: string): readonly string[] {
  return fragment(id).mappings?.find((mapping) => mapping.id === id)?.verify?.secrets ?? [];
}

function digestOf(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}

function told(stdout: string): string {
  return /Secret: (\S+)/.exec(stdout)?.[1] ?? '';
}

function expectNoFragment(): void {
  expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
}

async function expectSound(): Promise<void> {
  const { code, stdout } = await hooksCall(['config', 'check'], { cwd: dir.path });
  expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' });
}

describe('hooks setup of a sender that is told our secret', () => {
  it('makes a secret, writes the fragment, and says what to enter and how to try it', async () => {
    dir.write('gateway.json5', OWN);
    const { code, stdout, stderr } = await setup(['github', ...URL_FLAG]);
    expect(code).toBe(0);
    const secret = told(stdout);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(stdout).toContain('https://hooks.example.org/hooks/github\n');
    expect(stdout).not.toMatch(/\{\w+\}/);
    expect(stderr).toContain('reloads it within a second');
    expect(stderr).toMatch(/Then try it: hooks send github [\w.]+\n$/);
    expect(fragment('github')).toEqual({
      publicUrl: 'https://hooks.example.org',
      presets: ['github'],
      mappings: [{ id: 'github', verify: { secrets: [secret] } }],
    });
    expect(statSync(join(dir.path, 'gateway.d/github.json5')).mode & 0o777).toBe(0o600);
    expect(written('gateway.json5')).toBe(OWN);
    await expectSound();
  });

  it('called again it changes nothing and says the same', async () => {
    dir.write('gateway.json5', OWN);
    const first = await setup(['github', ...URL_FLAG]);
    const text = written('gateway.d/github.json5');
    const second = await setup(['github']);
    expect(second.stdout).toBe(first.stdout);
    expect(second.stderr).toContain('nothing to write');
    expect(written('gateway.d/github.json5')).toBe(text);
  });

  it('rotates: the new secret comes first, the old one counts until it is retired', async () => {
    dir.write('gateway.json5', OWN);
    const first = told((await setup(['github'])).stdout);
    const { stdout, stderr } = await setup(['github', '--rotate']);
    const second = told(stdout);
    expect(secretsOf('github')).toEqual([second, first]);
    expect(second).not.toBe(first);
    expect(stderr).toContain('hooks setup github --retire-old');
    expect(stdout).toBe(`At GitHub, in the webhook that is there\n  1. Secret: ${second}\n`);
    const retired = await setup(['github', '--retire-old']);
    expect(secretsOf('github')).toEqual([second]);
    expect(retired.stdout).toBe('');
    expect(retired.stderr).toContain('Only its newest secret counts from now on; the older one');
    await expectSound();
  });

  it('takes a secret of your own, and never puts it in the place of another', async () => {
    dir.write('gateway.json5', OWN);
    await setup(['github', '--secret', 'chosen-by-me-${X}']);
    expect(secretsOf('github')).toEqual(['chosen-by-me-$${X}']);
    expect(told((await setup(['github'])).stdout)).toBe('chosen-by-me-${X}');
    const other = await setup(['github', '--secret', 'another']);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('--rotate');
    expect(secretsOf('github')).toEqual(['chosen-by-me-$${X}']);
    await setup(['github', '--secret', 'another', '--rotate']);
    expect(secretsOf('github')).toEqual(['another', 'chosen-by-me-$${X}']);
  });

  it('keeps what a person added to the fragment', async () => {
    dir.write('gateway.json5', OWN);
    const mapping = { id: 'github', instructions: 'Be brief.', verify: { secrets: ['old'] } };
    const sections = { hooks: { presets: ['github', 'linear'], mappings: [{ id: 'x' }, mapping] } };
    writeFragment(dir.path, 'github', sections, 'hooks setup github');
    await setup(['github', '--rotate', '--secret', 'new']);
    expect(fragment('github')).toEqual({
      presets: ['github', 'linear'],
      mappings: [{ id: 'x' }, { ...mapping, verify: { secrets: ['new', 'old'] } }],
    });
    const text = readFileSync(join(dir.path, 'gateway.d/github.json5'), 'utf8');
    expect(text).toMatch(
      /^\/\/ Written by "hooks setup github", which keeps keys that you add here/,
    );
  });

  it('leaves the secret in its variable', async () => {
    dir.write('gateway.json5', OWN);
    const env = { GITHUB_SECRET: 'from-the-environment' };
    const { stdout } = await setup(['github', '--secret-env', 'GITHUB_SECRET'], { env });
    expect(secretsOf('github')).toEqual(['${GITHUB_SECRET}']);
    expect(told(stdout)).toBe('from-the-environment');
  });

  it('says where a running service finds a variable that only this shell has', async () => {
    dir.write('gateway.json5', OWN);
    const args = ['stripe', '--secret-env', 'STRIPE_SECRET'];
    const { code, stderr } = await setup(args, { env: { STRIPE_SECRET: 'whsec_of-this-shell' } });
    expect(code).toBe(0);
    expect(stderr).toContain('Write STRIPE_SECRET=… into .env (mode 600), which needs no restart');
    expect(stderr).not.toContain('within a second');
    expect(stderr).not.toContain('whsec_');
    dir.write('.env', 'STRIPE_NEW=whsec_of-dotenv\n');
    const kept = await setup(['stripe', '--rotate', '--secret-env', 'STRIPE_NEW'], {
      env: { STRIPE_SECRET: 'whsec_of-this-shell' },
    });
    expect(kept.stderr).toContain('reloads it within a second');
  });

  it('uses the address that is known already, and the one of the service where none is', async () => {
    dir.write('gateway.json5', OWN);
    const local = await setup(['github']);
    expect(local.stdout).toContain('http://127.0.0.1:18790/hooks/github');
    expect(local.stderr).toContain('is this machine');
    expect(fragment('github').publicUrl).toBeUndefined();
    await setup(['linear', '--url', 'https://a.example/hooks/linear/', '--secret', 'x']);
    expect(fragment('linear').publicUrl).toBe('https://a.example');
    expect((await setup(['github'])).stdout).toContain('https://a.example/hooks/github');
  });
});

describe('hooks setup of other senders', () => {
  it('says what to do and asks for the secret that the sender makes; without it nothing is written', async () => {
    dir.write('gateway.json5', OWN);
    const { code, stdout, stderr } = await setup(['linear']);
    expect(code).toBe(2);
    expect(stdout).toContain('Copy the signing secret');
    expect(stderr).toContain('--secret-stdin');
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
    const given = await setup(['linear', '--secret-stdin'], { input: 'made-by-linear\n' });
    expect(given.code).toBe(0);
    expect(given.stdout + given.stderr).not.toContain('made-by-linear');
    expect(secretsOf('linear')).toEqual(['made-by-linear']);
    await expectSound();
  });

  it('gives a sender that sends a token one of its own, and shows it once', async () => {
    dir.write('gateway.json5', OWN);
    const { code, stdout, stderr } = await setup(['gitea']);
    expect(code).toBe(0);
    const [, token = ''] = /Bearer ([\w-]{43})\n/.exec(stdout) ?? [];
    expect(token).not.toBe('');
    expect(stderr).toContain('written: gateway.d/token-gitea.json5;');
    expect(existsSync(join(dir.path, 'gateway.d/gitea.json5'))).toBe(false);
    expect(fragment('token-gitea').tokens).toEqual([
      { id: 'gitea', hooks: ['gitea'], tokens: [digestOf(token)] },
    ]);
    const again = await setup(['gitea']);
    expect(again.stdout).toContain('Bearer <its token>');
    expect(again.stderr).toContain('nothing to write');
    expect(again.stderr).toContain('--rotate');
    const rotated = await setup(['gitea', '--rotate', '--json']);
    const next = JSON.parse(rotated.stdout).token;
    expect(fragment('token-gitea').tokens?.[0]?.tokens).toEqual([digestOf(token), digestOf(next)]);
    await expectSound();
  });

  it.each(['uptime-kuma', 'datadog'])('%s: shows in one piece what is to be copied', async (id) => {
    dir.write('gateway.json5', OWN);
    const { stdout } = await setup([id]);
    const [, header = ''] = /(\{"Authorization": "[^\n]*"\})\n/.exec(stdout) ?? [];
    expect(JSON.parse(header)).toEqual({ Authorization: expect.stringMatching(/^Bearer \S{43}$/) });
  });

  it('enables the preset beside it', async () => {
    dir.write('gateway.json5', OWN);
    const { stderr } = await setup(['gitlab']);
    expect(stderr).toContain('written: gateway.d/gitlab.json5, gateway.d/token-gitlab.json5;');
    expect(fragment('gitlab')).toEqual({ presets: ['gitlab'] });
    await expectSound();
  });

  it('lists the presets, and which of them are enabled', async () => {
    dir.write('gateway.json5', OWN);
    const { stdout } = await setup([]);
    expect(stdout).toMatch(/^github +GitHub +a secret that we make +no$/m);
    expect(stdout).toMatch(/^linear +Linear +a secret that it makes +no$/m);
    expect(stdout).toMatch(/^gitea +Gitea +a token of ours +yes$/m);
    const { presets } = JSON.parse((await setup(['--json'])).stdout);
    expect(presets).toContainEqual(expect.objectContaining({ id: 'gitea', isEnabled: true }));
  });
});

describe('hooks setup where nothing is configured', () => {
  it('makes a gateway.json5, too, with a token of its own', async () => {
    const { code, stderr } = await setup(['github']);
    expect(code).toBe(0);
    expect(stderr).toContain('written: gateway.json5, gateway.d/github.json5;');
    await expectSound();
    const { hooks } = JSON5.parse<{ hooks: { token: string } }>(written('gateway.json5'));
    expect(hooks.token).toMatch(/^[\w-]{43}$/);
    expect(stderr).not.toContain(hooks.token);
  });

  it('goes on hearing the senders of the demo', async () => {
    mkdirSync(join(dir.path, 'data'));
    dir.write('data/hook-token', `${TOKEN}\n`);
    const { stdout, stderr } = await setup(['gitea']);
    expect(stdout).toMatch(/Bearer [\w-]{43}/);
    expect(stderr).toContain('Demo mode ends at the next restart');
    expect(stderr).toContain('Say who answers then: hooks setup model');
    expect(written('gateway.json5')).toContain(`token: '${TOKEN}'`);
  });
});

describe('hooks setup changes nothing', () => {
  afterEach(expectNoFragment);

  it('with --dry-run, and shows no secret', async () => {
    dir.write('gateway.json5', OWN);
    const { code, stdout, stderr } = await setup(['github', '--dry-run', '--secret', 'my-secret']);
    expect(code).toBe(0);
    expect(stdout).toContain("'***'");
    expect(stdout).not.toContain('my-secret');
    expect(stderr).toContain('nothing was changed');
  });

  it.each<[string, string[], number, string]>([
    ['a preset that is none', ['githu'], 2, 'Is it github?'],
    ['a mailbox', ['mail'], 2, 'hooks mail setup'],
    ['a secret of a sender without one', ['gitea', '--secret', 'x'], 2, 'has no secret'],
    ['a token to retire', ['gitea', '--retire-old'], 2, 'hooks token retire gitea --old'],
    ['a secret to retire that is not there', ['github', '--retire-old'], 2, 'no secret yet'],
    ['both at once', ['github', '--rotate', '--retire-old'], 2, 'do not go together'],
    ['a variable that is not set', ['github', '--secret-env', 'NONE'], 1, 'NONE'],
    ['a blank secret', ['github', '--secret', ''], 2, 'blank'],
    ['a secret of two lines', ['github', '--secret', 'a\nb'], 2, 'one line'],
    ['no address', ['github', '--url', 'hooks.example.org'], 2, '--url'],
    ['user and password in the address', ['github', '--url', 'https://a:b@c.d'], 2, '--url'],
  ])('for %s', async (_what, args, status, sentence) => {
    dir.write('gateway.json5', OWN);
    const { code, stderr } = await setup(args);
    expect({ code, stderr }).toEqual({ code: status, stderr: expect.stringContaining(sentence) });
  });

  it('where the configuration is wrong already', async () => {
    dir.write('gateway.json5', '{ hooks: { enabled: 3 } }');
    const { code, stderr } = await setup(['github']);
    expect(code).toBe(1);
    expect(stderr).toContain('hooks config check');
  });

  it("where the mapping stands in the operator's own file, and names the place", async () => {
    const own = { id: 'github', verify: { scheme: 'github', secrets: ['by-hand-and-long'] } };
    const hooks = { enabled: true, token: TOKEN, presets: ['github'], mappings: [own] };
    dir.write('gateway.json5', { hooks });
    const shown = await setup(['github']);
    expect(shown.code).toBe(0);
    expect(told(shown.stdout)).toBe('by-hand-and-long');
    const { code, stderr } = await setup(['github', '--rotate']);
    expect(code).toBe(1);
    expect(stderr).toContain('hooks.mappings[0] is the mapping of github');
  });
});

it('hooks setup does not replace a fragment that a person wrote', async () => {
  dir.write('gateway.json5', OWN);
  writeFragment(dir.path, 'github', { hooks: { presets: ['github'] } }, 'me');
  const text = written('gateway.d/github.json5');
  const { code, stderr } = await setup(['github']);
  expect(code).toBe(1);
  expect(stderr).toContain('gateway.d/github.json5 was not written by');
  expect(written('gateway.d/github.json5')).toBe(text);
});

it('hooks setup --json prints one document', async () => {
  dir.write('gateway.json5', OWN);
  const { stdout } = await setup(['github', '--json', ...URL_FLAG]);
  expect(JSON.parse(stdout)).toEqual({
    preset: 'github',
    steps: expect.arrayContaining([
      expect.stringContaining('https://hooks.example.org/hooks/github'),
    ]),
    secret: secretsOf('github')[0],
    token: null,
    written: ['gateway.d/github.json5'],
    tests: expect.arrayContaining(['hooks send github issues.opened']),
  });
});

describe('hooks setup at a terminal', () => {
  const { enter } = KEYS;

  it('asks for the address, shows the steps, and takes the secret unseen', async () => {
    dir.write('gateway.json5', OWN);
    using terminal = new TypedTerminal(['setup', 'linear'], dir.path);
    await terminal.answer('Where does Linear reach this service?', `nowhere${enter}`);
    await terminal.answer('Write it as https://', `${KEYS.erase}https://a.example${enter}`);
    await terminal.answer('URL: https://a.example/hooks/linear', '');
    await terminal.answer('The secret of Linear', `made-by-linear${enter}`);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.raw).not.toContain('made-by-linear');
    expect(secretsOf('linear')).toEqual(['made-by-linear']);
    expect(fragment('linear').publicUrl).toBe('https://a.example');
  });

  it('writes nothing when it is left', async () => {
    dir.write('gateway.json5', OWN);
    using terminal = new TypedTerminal(['setup', 'linear', ...URL_FLAG], dir.path);
    await terminal.answer('The secret of Linear', KEYS.ctrlC);
    expect(await terminal.ended()).toBe(130);
    expectNoFragment();
  });
});

const HANDED = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';

describe('hooks setup of a sender whose secret arrives by handshake', () => {
  let served: ServedCommands;
  beforeEach(async () => {
    served = await ServedCommands.start();
  });
  afterEach(() => served[Symbol.asyncDispose]());

  const fragment = (): string => join(served.dir.path, 'gateway.d/asana.json5');

  const post = (headers: Record<string, string>, body = '{}'): Promise<Response> =>
    fetch(`${served.service.url}/hooks/asana`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  it('waits, shows what came and from where, and puts it in force once it is accepted', async () => {
    await using command = served.begin('setup', 'asana');
    await eventually('it waits', async () => command.stderr.includes('Waiting for the secret'));
    expect((await post({ 'x-hook-secret': HANDED })).headers.get('x-hook-secret')).toBe(HANDED);
    const shown = await command.ended();
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(`Secret: ${HANDED}\n  From:   127.0.0.1\n`);
    expect(shown.stderr).toContain('hooks setup asana --accept');
    expect(existsSync(fragment())).toBe(false);

    const again = await served.hooks('setup', 'asana');
    expect(again.stdout).toContain(`Secret: ${HANDED}\n`);
    const body = JSON.stringify({ events: [{ action: 'added', resource: { gid: '1' } }] });
    const headers = { 'x-hook-signature': hmac('sha256', HANDED, body) };
    expect((await post(headers, body)).status).toBe(401);

    const accepted = await served.hooks('setup', 'asana', '--accept');
    expect([accepted.code, accepted.stdout]).toEqual([0, '']);
    expect(accepted.stderr).toContain('The secret came from 127.0.0.1 at ');
    expect(accepted.stderr).toContain('written: gateway.d/asana.json5');
    expect(readFileSync(fragment(), 'utf8')).toContain(HANDED);
    await eventually('it is in force', async () => (await post(headers, body)).status === 200);

    const second = await served.hooks('setup', 'asana');
    expect(second.stderr).toContain('nothing to write');
    expect((await post({ 'x-hook-secret': 'x'.repeat(32) })).status).toBe(401);
    const { stderr, code } = await served.hooks('setup', 'asana', '--accept');
    expect([code, stderr]).toEqual([1, expect.stringContaining('none was taken')]);
    expect(served.service.log.lines.join()).not.toContain(HANDED);
  });

  it('writes nothing of a stranger that is discarded, and takes the next one', async () => {
    await served.json('setup', 'asana');
    const none = await served.hooks('setup', 'asana', '--accept');
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('No secret of Asana came yet'),
    ]);
    await post({ 'x-hook-secret': 'the-secret-of-a-stranger' });
    const { window } = await served.json('setup', 'asana');
    expect(window).toMatchObject({
      taken: { secret: 'the-secret-of-a-stranger', client: '127.0.0.1' },
    });
    expect((await served.hooks('setup', 'asana', '--discard')).code).toBe(0);
    expect((await served.hooks('setup', 'asana', '--accept')).code).toBe(1);
    expect(existsSync(fragment())).toBe(false);
    expect(await served.json('setup', 'asana')).toMatchObject({ window: { taken: null } });
  });

  it('ends with Ctrl-C', async () => {
    await using command = served.begin('setup', 'asana');
    await eventually('it waits', async () => command.stderr.includes('Waiting for the secret'));
    expect((await command.interrupt()).code).toBe(130);
    expect(existsSync(fragment())).toBe(false);
  });
});

function writeAcme(dir: string): void {
  const folder = join(dir, 'gateway.d/senders/acme');
  mkdirSync(folder, { recursive: true });
  const scheme = {
    name: 'Acme',
    proofs: [
      {
        kind: 'signature',
        algorithm: 'hmac-sha256',
        at: { header: 'x-acme-tag' },
        encoding: 'hex',
        signed: '{body}',
      },
    ],
    handshakes: [
      {
        when: { method: 'POST', at: { field: 'hook.secret' } },
        from: 'awaited',
        answer: { status: 202, text: 'kept' },
      },
    ],
    canSendToken: false,
    confidence: 'measured',
  };
  const preset = {
    verify: { scheme: 'acme' },
    setup: ['Acme: {url}'],
    name: 'Acme',
    task: { report: ['Acme reports an order.'] },
    messageTemplate: 'An order came.',
  };
  writeFileSync(join(folder, 'scheme.json5'), JSON.stringify(scheme));
  writeFileSync(join(folder, 'preset.json5'), JSON.stringify(preset));
}

it('hooks setup waits for the secret of a sender of the operator, too', async () => {
  await using served = await ServedCommands.start({}, (dir) => {
    writeAcme(dir);
    return {};
  });
  const post = (body: string, tag?: string): Promise<Response> =>
    fetch(`${served.service.url}/hooks/acme`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(tag && { 'x-acme-tag': tag }) },
      body,
    });
  const offer = JSON.stringify({ hook: { secret: HANDED } });
  expect((await post(offer)).status).toBe(401);
  await served.json('setup', 'acme');
  const answer = await post(offer);
  expect([answer.status, await answer.text()]).toEqual([202, 'kept']);
  expect((await served.hooks('setup', 'acme', '--accept')).code).toBe(0);
  const tag = hmac('sha256', HANDED, '{}');
  await eventually('it is in force', async () => (await post('{}', tag)).status === 200);
});

describe('--accept and --discard', () => {
  it.each([
    ['github', '--accept'],
    ['github', '--discard'],
    ['asana', '--accept', '--discard'],
    ['asana', '--accept', '--secret', 'another-one'],
    ['asana', '--discard', '--rotate'],
  ])('refuses %s %s %s', async (...args) => {
    expect((await setup(args)).code).toBe(2);
    expectNoFragment();
  });
});
