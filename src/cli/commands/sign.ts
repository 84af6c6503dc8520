import { nearestKey, schemes as ownSchemes, sendersOf, signRequest } from '../../hooks/index.ts';
import type { ReadyRequest, Senders, SignatureScheme } from '../../hooks/index.ts';
import { canSign, signsUrl } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option, wrongValue } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { readBytes, withHeader } from '../request-input.ts';
import {
  SECRET_OPTIONS,
  askSecret,
  readGivenSecret,
  secretText,
} from '../senders/sender-secrets.ts';
import type { Terminal } from '../terminal.ts';

/*
 * For trying out a hook that wants signatures without its sender, and with another program than this one: signs a body
 * by a scheme as it would be sent now. It reads no configuration, asks no service and sends nothing; `--curl` prints a
 * command that does. The secret comes from a variable or is asked for, a private key from its file.
 */

const OPTIONS = [
  ...SECRET_OPTIONS,
  option('--key-file <file>', 'private key in PEM, of schemes with a public key'),
  option('--file <file>', 'the body; - (default) is stdin'),
  option(
    '--url <url>',
    'where it is sent to; for --curl, and for schemes that sign the URL',
    toUrl,
  ),
  option('--header <name:value>', 'one more header of the request; may be repeated', withHeader),
  option('--id <id>', 'id of the delivery, of schemes that have one (default: a new one)', toId),
  option('--curl', 'print the whole curl command'),
  JSON_OPTION,
] as const;

type SignOptions = OptionValues<typeof OPTIONS>;

/**
 * Signs a body as the sender of a scheme would, now. Prints the headers, one a line, as `curl -H @FILE` reads them;
 * where the signature or its time stands in the body, that follows behind an empty line.
 */
export const sign = defineCommand({
  name: 'sign',
  description: 'sign a body as a sender would, for a test with curl',
  arguments: [['[scheme]', 'how: github, stripe, standard-webhooks …; none: list all of them']],
  options: OPTIONS,
  examples: [
    ['hooks sign github --secret-env GITHUB_SECRET < body.json', 'print the headers'],
    [
      "hooks sign github --secret-env GITHUB_SECRET --file push.json --header 'X-GitHub-Event: push' > headers",
      'then: curl -H @headers --data-binary @push.json URL',
    ],
    [
      'hooks sign stripe --secret-env STRIPE_SECRET --file body.json --curl --url http://127.0.0.1:18790/hooks/stripe',
      'print a line to paste, good for the five minutes that Stripe allows',
    ],
    ['hooks sign slack --file body.json', 'ask for the secret'],
    ['hooks sign', 'list the schemes'],
  ],
  async action(context, options, id?: string) {
    const { terminal } = context;
    const schemes = await knownSchemes(context);
    if (id === undefined) return listSchemes(schemes, terminal, options.json === true);
    const scheme = findScheme(id, schemes);
    const { url, curl, json, header } = options;
    if (url === undefined && signsUrl(scheme)) {
      throw new CliError(
        `${scheme.name} signs the address that it sends to.`,
        'Say it with --url.',
        EXIT.usage,
      );
    }
    if (curl === true && url === undefined) {
      throw new CliError('--curl needs --url.', 'Say where curl is to send it.', EXIT.usage);
    }
    const keys = await readKeys(context, options, scheme);
    const body = await readBody(context, options);
    const request = { body, headers: header, url, id: options.id };
    const signed = signAs(scheme, { ...keys, ...request, now: context.clock.now() });
    if (json === true) {
      return terminal.printJson({ url: signed.url ?? null, ...toJson(signed) });
    }
    if (curl === true) return terminal.print(curlCommand(signed, body, options));
    for (const [name, value] of Object.entries(signed.headers)) terminal.print(`${name}: ${value}`);
    if (!signed.body.equals(body)) terminal.print(`\n${signed.body.toString()}`);
    if (signed.url !== url) terminal.note(`Send it to ${signed.url}`);
  },
});

function toUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && !/[\s']/.test(text)) return text;
  throw wrongValue('--url', 'an address that begins with http:// or https://');
}

function toId(text: string): string {
  if (/^[!-~]{1,256}$/.test(text)) return text;
  throw wrongValue('--id', '1 to 256 characters of plain ASCII');
}

type Schemes = Senders['schemes'];

/** Those of the configuration that is here, and ours. */
async function knownSchemes({ inspect }: CommandContext): Promise<Schemes> {
  const { resolved } = await inspect();
  return resolved === undefined ? ownSchemes : sendersOf(resolved.effective).schemes;
}

/** @throws CliError for a name that is none, or one that stands for no signature */
function findScheme(id: string, schemes: Schemes): SignatureScheme {
  const scheme = schemes.get(id);
  if (scheme === undefined) {
    const nearest = nearestKey(id, [...schemes.keys()]);
    const hint = nearest === undefined ? 'See which there are: hooks sign' : `Is it ${nearest}?`;
    throw new CliError(`There is no scheme ${asLine(id)}.`, hint, EXIT.usage);
  }
  const { name, proofs } = scheme;
  if (proofs.length === 0) {
    throw new CliError(`${name} does not sign: it sends a token.`, undefined, EXIT.usage);
  }
  if (proofs[0]?.kind === 'certificate') {
    throw new CliError(`${name} signs with a certificate of its own.`, undefined, EXIT.usage);
  }
  return scheme;
}

/** What to sign with. @throws CliError when it is missing */
async function readKeys(
  { terminal, env, cwd, inspect }: CommandContext,
  options: SignOptions,
  scheme: SignatureScheme,
): Promise<{ secret: string; privateKey?: string }> {
  if (!canSign(scheme)) {
    if (options.keyFile === undefined) {
      const what = `${scheme.name} signs with a private key, and its public half is no secret.`;
      const hint = 'For a pair of your own, name its private half with --key-file.';
      throw new CliError(what, hint, EXIT.usage);
    }
    const key = await readBytes(options.keyFile, { cwd, stdin: terminal.streams.stdin });
    return { secret: '', privateKey: key.toString() };
  }
  const given = await readGivenSecret(options, terminal);
  if (given !== undefined) {
    const isHere = 'value' in given || (env[given.variable] ?? '').trim() !== '';
    return { secret: secretText(given, isHere ? env : (await inspect()).env) };
  }
  if (options.file === undefined && terminal.prompts !== undefined) {
    throw new CliError('The body is missing.', 'Name its file with --file.', EXIT.usage);
  }
  const what = scheme.secret === undefined ? 'The secret' : `The secret (${scheme.secret})`;
  return { secret: await askSecret(terminal, what, 'Name a variable with --secret-env.') };
}

function readBody({ terminal, cwd }: CommandContext, { file }: SignOptions): Promise<Buffer> {
  return readBytes(file ?? '-', { cwd, stdin: terminal.streams.stdin });
}

/** @throws CliError with what the scheme lacks */
function signAs(scheme: SignatureScheme, toSign: Parameters<typeof signRequest>[1]): ReadyRequest {
  try {
    return signRequest(scheme, toSign);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(`It cannot be signed: ${asLine(why)}.`, undefined, EXIT.usage);
  }
}

function toJson({ headers, body }: ReadyRequest): object {
  return { headers, body: body.toString() };
}

/** A command for a POSIX shell. @param given the body as it was, which is sent from its file where it stayed so. */
function curlCommand(
  { headers, body, url = '' }: ReadyRequest,
  given: Buffer,
  { file = '-' }: SignOptions,
): string {
  const isFile = file !== '-' && body.equals(given);
  const parts = [
    'curl -sS -i',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    isFile ? `--data-binary ${quoted(`@${file}`)}` : `--data-raw ${quoted(asText(body))}`,
    quoted(url),
  ];
  return parts.join(' ');
}

/** A body that a shell can be told. @throws CliError for one that only a file can hold */
function asText(body: Buffer): string {
  const text = body.toString();
  const isPlain = Buffer.from(text).equals(body) && !/[^\n\t\P{Cc}]/u.test(text);
  if (isPlain) return text;
  throw new CliError(
    'The body cannot stand in a command: it is no plain text.',
    'Name its file with --file.',
    EXIT.usage,
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function listSchemes(schemes: Schemes, terminal: Terminal, asJson: boolean): void {
  const rows = [...schemes.values()]
    .filter(({ proofs: [proof] }) => proof !== undefined && proof.kind !== 'certificate')
    .map(({ id, name, secret }) => ({ id, name, secret: secret ?? null }))
    .toSorted((a, b) => a.id.localeCompare(b.id, 'en'));
  if (asJson) return terminal.printJson({ schemes: rows });
  const cells = rows.map(({ id, name, secret }) => [id, name, secret ?? 'as the sender shows it']);
  terminal.printTable([['SCHEME', 'SENDER', 'SECRET'], ...cells]);
}
