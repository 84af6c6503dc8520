import { execFile } from 'node:child_process';
import { createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import type { Ending } from '../support/service-process.ts';
import { byGithub, hmac } from '../support/signed.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';

const run = promisify(execFile);

const SECRET = 'a-secret-of-good-length';
const BODY = `{"action":"opened","title":"it's $HOME \`x\` \\"y\\""}\n`;
const URL_OF_HOOK = 'http://127.0.0.1:18790/hooks/github';

let dir: ConfigDirectory;
beforeEach(() => {
  dir = new ConfigDirectory();
  dir.write('body.json', BODY);
});
afterEach(() => dir[Symbol.dispose]());

function sign(args: readonly string[], input: string = BODY): Promise<Ending> {
  return hooksCall(['sign', ...args], { cwd: dir.path, env: { SECRET, BLANK: ' ' }, input });
}

/** Headers as they are printed. */
function toHeaders(text: string): Record<string, string> {
  const [head = ''] = text.split('\n\n');
  const lines = head.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? [];
      return [name, value];
    }),
  );
}

/** The arguments that a shell would start curl with. */
async function argumentsOf(command: string): Promise<string[]> {
  expect(command).toMatch(/^curl /);
  const shown = command.replace(/^curl /, String.raw`printf '%s\0' `);
  const { stdout } = await run('sh', ['-c', shown]);
  return stdout.split('\0').slice(0, -1);
}

describe('hooks sign', () => {
  it('prints the headers of a body from stdin, as curl reads them', async () => {
    const { code, stdout, stderr } = await sign([
      'github',
      '--secret-env',
      'SECRET',
      '--id',
      'd-1',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(toHeaders(stdout)).toEqual({
      'content-type': 'application/json',
      'x-github-delivery': 'd-1',
      ...byGithub(SECRET, BODY),
    });
  });

  it('takes a variable from .env of the configuration, and rather from the environment', async () => {
    dir.write('.env', `KEPT=${SECRET}\nSECRET=another\n`);
    for (const name of ['KEPT', 'SECRET']) {
      const { stdout } = await sign(['github', '--secret-env', name]);
      expect(toHeaders(stdout)).toMatchObject(byGithub(SECRET, BODY));
    }
  });

  it('signs as the library of Standard Webhooks verifies', async () => {
    const secret = `whsec_${Buffer.from(SECRET).toString('base64')}`;
    const { stdout } = await sign(['standard-webhooks', '--secret', secret]);
    expect(() => new Webhook(secret).verify(BODY, toHeaders(stdout))).not.toThrow();
    expect(() => new Webhook(secret).verify(`${BODY} `, toHeaders(stdout))).toThrow();
  });

  it('prints all that the library of Shopify asks for, and what one says of it instead', async () => {
    const args = ['shopify', '--secret', SECRET, '--id', 'w-1'];
    const { stdout } = await sign([...args, '--header', 'X-Shopify-Topic: orders/cancelled']);
    const hmacOfBody = createHmac('sha256', SECRET).update(BODY).digest('base64');
    expect(toHeaders(stdout)).toEqual({
      'content-type': 'application/json',
      'x-shopify-topic': 'orders/cancelled',
      'x-shopify-shop-domain': 'example.myshopify.com',
      'x-shopify-api-version': '2026-10',
      'x-shopify-webhook-id': 'w-1',
      'x-shopify-hmac-sha256': hmacOfBody,
    });
  });

  it('prints the body, too, where the signature stands in it', async () => {
    const { stdout } = await sign(['mailgun', '--secret', SECRET], '{"event-data":{"id":"1"}}');
    const [, body = ''] = stdout.split('\n\n');
    const { signature, ...rest } = JSON.parse(body);
    expect(rest).toEqual({ 'event-data': { id: '1' } });
    expect(signature.signature).toBe(
      hmac('sha256', SECRET, `${signature.timestamp}${signature.token}`),
    );
  });

  it('says the present time in a body that says one', async () => {
    const before = Date.now();
    const { stdout } = await sign(['linear', '--secret', SECRET], '{"webhookTimestamp":5}');
    const [, body = ''] = stdout.split('\n\n');
    expect(JSON.parse(body).webhookTimestamp).toBeGreaterThanOrEqual(before);
    const text = body.trimEnd();
    expect(toHeaders(stdout)['linear-signature']).toBe(hmac('sha256', SECRET, text));
  });

  it('says where to send it where a digest stands in the address', async () => {
    const args = ['twilio', '--secret', SECRET, '--url', 'https://a.example/hooks/sms'];
    const { code, stderr } = await sign(args);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Send it to https:\/\/a\.example\/hooks\/sms\?bodySHA256=[\da-f]{64}\n$/,
    );
  });

  it('signs with a private key of your own', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    dir.write('key.pem', privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const { stdout } = await sign(['discord', '--key-file', 'key.pem']);
    const headers = toHeaders(stdout);
    const signed = Buffer.from(`${headers['x-signature-timestamp']}${BODY}`);
    const signature = Buffer.from(headers['x-signature-ed25519'] ?? '', 'hex');
    expect(
      verify(
        null,
        signed,
        createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
        signature,
      ),
    ).toBe(true);
  });

  it('prints one JSON document', async () => {
    const { stdout } = await sign([
      'github',
      '--secret',
      SECRET,
      '--json',
      '--header',
      'X-GitHub-Event: push',
    ]);
    expect(JSON.parse(stdout)).toEqual({
      url: null,
      headers: {
        'x-github-event': 'push',
        'content-type': 'application/json',
        'x-github-delivery': expect.stringMatching(/^[\da-f-]{36}$/),
        ...byGithub(SECRET, BODY),
      },
      body: BODY,
    });
  });

  it('lists the schemes', async () => {
    const { code, stdout } = await sign([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^github +GitHub +as the sender shows it$/m);
    expect(stdout).not.toMatch(/^(?:paypal|datadog) /m);
  });

  it('asks for the secret at a terminal, and does not show it', async () => {
    using terminal = new TypedTerminal(['sign', 'github', '--file', 'body.json'], dir.path);
    await terminal.answer('The secret', `${SECRET}${KEYS.enter}`);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.words).toContain(byGithub(SECRET, BODY)['x-hub-signature-256']);
    expect(terminal.raw).not.toContain(SECRET);
  });
});

describe('hooks sign --curl', () => {
  const CURL = ['github', '--secret', SECRET, '--curl', '--url', URL_OF_HOOK, '--id', 'd-1'];

  it('prints a line that a shell reads as it is meant, with the body in it', async () => {
    const { stdout } = await sign(CURL);
    expect(await argumentsOf(stdout)).toEqual([
      '-sS',
      '-i',
      '-H',
      'content-type: application/json',
      '-H',
      'x-github-delivery: d-1',
      '-H',
      `x-hub-signature-256: ${byGithub(SECRET, BODY)['x-hub-signature-256']}`,
      '--data-raw',
      BODY,
      URL_OF_HOOK,
    ]);
  });

  it('names the file that the body came from', async () => {
    const { stdout } = await sign([...CURL, '--file', 'body.json']);
    expect((await argumentsOf(stdout)).slice(-3)).toEqual([
      '--data-binary',
      '@body.json',
      URL_OF_HOOK,
    ]);
  });

  it('has a body that was changed in the line, whatever file it came from', async () => {
    dir.write('body.json', '{"webhookTimestamp":5}');
    const args = ['linear', '--secret', SECRET, '--curl', '--url', URL_OF_HOOK];
    const { stdout } = await sign([...args, '--file', 'body.json']);
    const [body = ''] = (await argumentsOf(stdout)).slice(-2);
    expect(stdout).toContain(hmac('sha256', SECRET, body));
  });

  it('has no line for bytes that are no text', async () => {
    const { code, stderr } = await sign(CURL, 'a\u0000b');
    expect(code).toBe(2);
    expect(stderr).toContain('--file');
    writeFileSync(join(dir.path, 'bytes'), Buffer.from([0, 255]));
    expect((await sign([...CURL, '--file', 'bytes'])).code).toBe(0);
  });
});

describe('hooks sign refuses', () => {
  it.each<[string, string[], string]>([
    ['a scheme that is none', ['githu'], 'Is it github?'],
    ['a sender that does not sign', ['datadog', '--secret', 'x'], 'sends a token'],
    ['a sender with a certificate', ['paypal', '--secret', 'x'], 'certificate of its own'],
    ['a sender with a private key', ['discord', '--secret', 'x'], '--key-file'],
    ['no secret', ['github'], '--secret-env'],
    ['a blank secret', ['github', '--secret', ' '], 'blank'],
    ['a variable that is not set', ['github', '--secret-env', 'NONE'], 'NONE is not set'],
    ['a variable that is blank', ['github', '--secret-env', 'BLANK'], 'BLANK is not set'],
    ['no variable', ['github', '--secret-env', 'a-b'], 'name of a variable'],
    ['two secrets', ['github', '--secret', 'x', '--secret-env', 'SECRET'], 'more than once'],
    ['no address where it is signed', ['twilio', '--secret', 'x'], '--url'],
    ['curl without an address', ['github', '--secret', 'x', '--curl'], '--url'],
    ['an address that is none', ['github', '--url', 'ftp://x'], 'http://'],
    ['a secret of another form', ['svix', '--secret', 'no base64!'], 'Base64'],
    ['a body that cannot be', ['mailgun', '--secret', 'x', '--file', 'list.json'], 'JSON object'],
    ['a body that is not there', ['github', '--secret', 'x', '--file', 'none'], 'ENOENT'],
    ['an id that is none', ['github', '--secret', 'x', '--id', 'a b'], '--id'],
  ])('%s: 2, and nothing is printed', async (_what, args, sentence) => {
    dir.write('list.json', '[]');
    const { code, stdout, stderr } = await sign(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });
});
