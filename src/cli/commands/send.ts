import type { HookPost } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, flagOf, option, positiveNumber } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import { TIMEOUT_OPTION, showReceipt } from '../events/event-outcome.ts';
import { asLine } from '../foreign-text.ts';
import { TOKEN_VARIABLE, curlCommand } from '../senders/curl-command.ts';
import { Interruption } from '../terminal.ts';
import { REQUEST_OPTIONS, hookName, readPayload } from '../request-input.ts';
import type { PayloadSource } from '../request-input.ts';
import {
  SAMPLE_ARGUMENT,
  findSample,
  samplePost,
  showSamples,
  signFor,
} from '../senders/sample-post.ts';
import type { ServiceSigning } from '../senders/sample-post.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import type { ServiceClient } from '../service/service-client.ts';

/*
 * A request as any sender would send it, by the same address and with the same proof: nothing of it is the operator's.
 * Our secrets go nowhere but to this machine, or to where the configuration says that the hooks are. Exit code 1: it was
 * refused, or its event ended badly; 3: no service.
 */

const FIELD_OPTIONS = [
  option('--text <text>', 'wake: what happened'),
  option('--mode <mode>', 'wake: now (default) or next-heartbeat'),
  option('--message <text>', 'agent: what it is asked'),
  option('--name <name>', 'agent: prefix of the summary'),
  option('--agent <id>', 'agent: who runs it'),
  option('--session <key>', 'agent: session key, if senders may name one'),
  option('--wake-mode <mode>', 'agent: now (default) or next-heartbeat'),
  option('--deliver', 'agent: send the reply to a channel (default)'),
  option('--no-deliver', 'agent: keep the reply'),
  option('--channel <id>', 'agent: last (default) or chan_1 … chan_8'),
  option('--to <recipient>', "agent: recipient, in the platform's own form"),
  option('--model <model>', 'agent: <provider>/<model>, or an alias'),
  option('--thinking <level>', 'agent: off, minimal, low, … max, adaptive'),
  option('--run-timeout <seconds>', 'agent: longest run', positiveNumber('--run-timeout')),
] as const;

type Fields = OptionValues<typeof FIELD_OPTIONS>;

/** The names of those fields in the payload, by hook and by the flag's value. */
const FIELD_NAMES: Readonly<
  Record<'wake' | 'agent', Readonly<Partial<Record<keyof Fields, string>>>>
> = {
  wake: { text: 'text', mode: 'mode' },
  agent: {
    message: 'message',
    name: 'name',
    agent: 'agentId',
    session: 'sessionKey',
    wakeMode: 'wakeMode',
    deliver: 'deliver',
    channel: 'channel',
    to: 'to',
    model: 'model',
    thinking: 'thinking',
    runTimeout: 'timeoutSeconds',
  },
};

const MAKE_A_REQUEST = ['sample', 'header', 'payload', 'query'].concat(
  Object.values(FIELD_NAMES).flatMap((names) => Object.keys(names)),
);

/** Headers that the command sets itself, or that belong to the connection. */
const OWN_HEADERS =
  /^(?:authorization|x-gateway-token|content-type|content-length|content-encoding|host|connection|transfer-encoding|expect|upgrade|te|trailer|keep-alive)$/;

const OPTIONS = [
  option('--idempotency-key <key>', 'a repeat of the same key runs once'),
  option('--no-wait', 'print the id of the event and end'),
  option('--dry-run', 'print the request as a curl command, signed, and send nothing'),
  TIMEOUT_OPTION,
  option(
    '--hook-token-file <file>',
    'file with the hook token (default: that of this configuration)',
  ),
  ...FIELD_OPTIONS,
  ...REQUEST_OPTIONS,
  ...SERVICE_OPTIONS,
] as const;

export type SendOptions = OptionValues<typeof OPTIONS>;

export const send = defineCommand({
  name: 'send',
  description: 'send a request to a hook and tell what becomes of it',
  arguments: [['<hook>', 'wake, agent, the path of a mapping, or a preset'], SAMPLE_ARGUMENT],
  options: OPTIONS,
  examples: [
    ['hooks send wake --text "The build is red"', 'wake the default agent'],
    ['hooks send agent --message "Say hello" --no-deliver', 'ask an agent, and see its reply'],
    ['hooks send github issues.opened', 'a sample of what GitHub sends, signed as GitHub signs'],
    ['hooks send github', 'which samples there are'],
    ['hooks send github issues.opened --dry-run', 'print it as a curl command, signed'],
    ['hooks send github --payload push.json --header "X-GitHub-Event: push"', 'try a mapping'],
    ['curl -s … | hooks send github --payload - --no-wait', 'only print the id of the event'],
  ],
  async action(context, options, hook, sample?: string) {
    using interruption = new Interruption();
    const { signal } = interruption;
    const { cwd, terminal } = context;
    const { resolved } = await context.inspect();
    const { json } = options;
    const given = new Map(Object.entries({ ...options, sample }));
    const isOwn = MAKE_A_REQUEST.some((name) => given.get(name) !== undefined);
    const listed = { command: 'hooks send', hook, json, settings: resolved?.effective };
    if (!isOwn && showSamples(terminal, listed)) return;
    const service = await findService(context, { ...options, hook }, signal);
    const source = { cwd, signal, stdin: terminal.streams.stdin };
    const signing = resolved && { settings: resolved.effective, service, now: context.clock.now() };
    const ofSample = signing && (await buildSample(context, signing, options, hook, sample));
    const own = ofSample ?? (await buildPost(hook, options, service.hooksPath, source));
    const post = ofSample === undefined && signing !== undefined ? signFor(own, signing) : own;
    if (options.dryRun === true) return show(context, service, post, options);
    if (post.isSigned !== true && !service.canSend) {
      throw new CliError(
        'There is no hook token to send with.',
        'Write out hooks.token in gateway.json5, or name a file with --hook-token-file.',
        EXIT.usage,
      );
    }
    const receipt = await service.send(post);
    const { wait = true } = options;
    await showReceipt(context, service, receipt, { ...options, wait }, interruption);
    const { eventId } = receipt;
    if (ofSample === undefined || eventId === null || options.json === true) return;
    terminal.note(`The whole story: hooks events show ${asLine(eventId)}`);
  },
});

/** The request, which a token is left out of: on one line for a shell, or as JSON. @throws CliError */
async function show(
  { terminal, cwd }: CommandContext,
  service: ServiceClient,
  post: HookPost,
  { json = false, payload }: SendOptions,
): Promise<void> {
  const shown = service.describe(post, TOKEN_VARIABLE);
  if (json) return terminal.printJson({ ...shown, body: shown.body.toString() });
  const isFile = payload !== undefined && payload !== '-';
  const source = { cwd, stdin: terminal.streams.stdin };
  const isAsItIs = isFile && (await readPayload(payload, source)).equals(post.body);
  terminal.print(curlCommand(shown, isAsItIs ? payload : undefined));
  if (post.isSigned !== true)
    terminal.note(`The hook token is not printed: export ${TOKEN_VARIABLE.slice(1)}=…`);
}

/** The request of a preset's sample; undefined where the command line means another request. @throws CliError */
async function buildSample(
  { terminal }: CommandContext,
  signing: ServiceSigning,
  options: SendOptions,
  hook: string,
  name: string | undefined,
): Promise<HookPost | undefined> {
  const { idempotencyKey, payload, header, query, json } = options;
  const bare = hookName(hook, signing.service.hooksPath);
  const own = [payload, header, query].some((given) => given !== undefined);
  if (own && name !== undefined) {
    throw new CliError(
      'A sample is sent as it is.',
      'Leave --payload, --header and --query out, or the sample.',
      EXIT.usage,
    );
  }
  const isOwn = own || fieldPayload(bare, options) !== null;
  const named = { command: 'hooks send', hook: bare, json, settings: signing.settings };
  const found = await findSample(terminal, named, { name, isOwn });
  return (
    found &&
    samplePost(found.preset, found.sample, { ...signing, idempotencyKey: keyOf(idempotencyKey) })
  );
}

/** The request that a command line means. @param prefix `hooks.path`. @throws CliError */
export async function buildPost(
  hook: string,
  options: SendOptions,
  prefix: string,
  source: PayloadSource,
): Promise<HookPost> {
  const name = hookName(hook, prefix);
  const { header = {}, query = {}, idempotencyKey } = options;
  const own = Object.keys(header).find((one) => OWN_HEADERS.test(one));
  if (own !== undefined) {
    throw new CliError(`The header ${own} is set by the command itself.`, undefined, EXIT.usage);
  }
  const headers = { ...header, ...keyHeader(idempotencyKey) };
  return { name, headers, query, body: await readBody(name, options, source) };
}

/** The header of the key. @throws CliError */
function keyHeader(key: string | undefined): Record<string, string> {
  const checked = keyOf(key);
  return checked === undefined ? {} : { 'idempotency-key': checked };
}

/** The key, in the form that the ingress accepts. @throws CliError */
function keyOf(key: string | undefined): string | undefined {
  if (key === undefined || /^[!-~](?:[ -~]{0,254}[!-~])?$/.test(key)) return key;
  throw new CliError(
    '--idempotency-key must be 1 to 256 characters of plain ASCII.',
    undefined,
    EXIT.usage,
  );
}

/** The bytes to send: of a file or stdin as they are, or JSON made from flags. @throws CliError when both are given */
async function readBody(
  hook: string,
  options: SendOptions,
  source: PayloadSource,
): Promise<Buffer<ArrayBuffer>> {
  const fields = fieldPayload(hook, options);
  if (options.payload === undefined) return Buffer.from(JSON.stringify(fields ?? {}));
  if (fields === null) return readPayload(options.payload, source);
  throw new CliError(
    'A payload comes from --payload or from flags, not from both.',
    'Leave one of them out.',
    EXIT.usage,
  );
}

/** The payload that flags make; null when none was given. @throws CliError for a flag of another hook */
function fieldPayload(hook: string, flags: Fields): Record<string, unknown> | null {
  const isBuiltIn = hook === 'wake' || hook === 'agent';
  const own: Readonly<Record<string, string>> = isBuiltIn ? FIELD_NAMES[hook] : {};
  const values: Readonly<Record<string, unknown>> = flags;
  const stray = [...Object.keys(FIELD_NAMES.wake), ...Object.keys(FIELD_NAMES.agent)].find(
    (flag) => values[flag] !== undefined && own[flag] === undefined,
  );
  if (stray !== undefined) throw strayFlag(hook, stray);
  const given = Object.entries(own).filter(([flag]) => values[flag] !== undefined);
  if (given.length === 0) return null;
  return Object.fromEntries(given.map(([flag, field]) => [field, values[flag]]));
}

function strayFlag(hook: string, name: string): CliError {
  const owner = name in FIELD_NAMES.wake ? 'wake' : 'agent';
  return new CliError(
    `${flagOf(name)} is no flag of hook "${hook}".`,
    `It belongs to "hooks send ${owner}"; give the payload of a mapped hook with --payload.`,
    EXIT.usage,
  );
}
