import type {
  Channel,
  DeliveryError,
  DeliveryFailure,
  OutgoingMessage,
} from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText, parseJson } from '../../platform/objects.ts';
import type { Explanation } from './delivery-errors.ts';
import { NO_MARKS, plainMarkup } from './markdown.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';
import { withoutTables } from './tables.ts';

export interface SignalOptions {
  /** Address of the daemon or of the REST wrapper. */
  readonly apiRoot: string;
  /** The sending number, with + and country code. */
  readonly account: string;
  /** Which of the two it is: `signal-cli daemon --http` (`rpc`) or signal-cli-rest-api (`rest`). @default 'rpc' */
  readonly api?: 'rpc' | 'rest';
  /** Sent as a bearer token, for a proxy before the daemon, which itself asks for none. */
  readonly token?: string;
}

/** Error codes of signal-cli's JSON-RPC; what befell the recipient comes before them. */
const RPC_KINDS: Readonly<Record<string, DeliveryFailure>> = {
  '-1': 'permanent',
  '-3': 'retryable',
  '-4': 'permanent',
  '-5': 'rate-limited',
  '-32601': 'permanent',
  '-32602': 'permanent',
};

/** What befell a recipient (signal-cli, `JsonSendMessageResult.Type`), the one that may pass by itself first. */
const RESULTS: Readonly<Record<string, Explanation>> = {
  RATE_LIMIT_FAILURE: { kind: 'rate-limited' },
  NETWORK_FAILURE: { kind: 'retryable', message: 'signal-cli could not reach Signal' },
  UNREGISTERED_FAILURE: { kind: 'permanent', message: 'the recipient is not on Signal' },
  IDENTITY_FAILURE: {
    kind: 'permanent',
    message: 'the safety number of the recipient has changed',
    advice: 'make sure that it is theirs, then have signal-cli trust it (method trust)',
  },
  INVALID_PRE_KEY_FAILURE: {
    kind: 'permanent',
    message: 'a device of the recipient offers keys that cannot be used',
    advice: 'they have to link that device anew',
  },
};

/** The REST wrapper answers 400 to whatever signal-cli or itself says. What is not among these may pass. */
const REST_KINDS: readonly (readonly [RegExp, DeliveryFailure])[] = [
  [/rate.?limit|captcha proof required/i, 'rate-limited'],
  [/network failure/i, 'retryable'],
  [/unregistered|is not registered|untrusted|update your profile/i, 'permanent'],
  [/invalid (?:phone number|group id|signal group size|identifier|recipient)/i, 'permanent'],
  [/group not found|not a member in group|not allowed to send message to group/i, 'permanent'],
  [/account does not exist|account parameter|couldn't process request/i, 'permanent'],
  // It ended signal-cli after 120 s, or could not read what signal-cli wrote after the message was sent.
  [/process killed|unexpected end of json|^invalid character/i, 'unknown'],
  [/(?:)/, 'retryable'],
];

const WRONG_HOST =
  'signal-cli answers only under the name it listens on: put that into apiRoot, or start it with --http 0.0.0.0:8080';
/** How soon a message is tried again that waits for a person to solve a captcha, unless Signal names a time. */
const CAPTCHA_RETRY_MS = 600_000;

const CAPTCHA_PAGE = 'https://signalcaptchas.org/challenge/generate.html';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const USERNAME = /^(?:u:)?([A-Za-z_]\w{2,31}\.\d{2,10})$/;
/** 32 bytes. */
const GROUP_ID = /^[A-Za-z\d+/]{43}=$/;

class SignalChannel extends PlatformChannel {
  override readonly provider = 'signal';
  override readonly timeoutMs: number;
  // What is longer goes out as an attached file.
  protected override readonly limit = 2000;
  protected override readonly recipient = {
    pattern: new RegExp(
      [
        /^\+[ .()-]*[1-9](?:[ .()-]*\d){6,14}$/.source,
        /^group\.[\w+/=-]{8,}$/.source,
        UUID.source,
        USERNAME.source,
      ].join('|'),
      'i',
    ),
    expected:
      'a phone number with + and country code, such as +491701234567, a UUID, a username such as ada.42, or group.<id>',
  };
  readonly #options: SignalOptions;

  constructor(options: SignalOptions) {
    super({ name: 'Signal', secrets: [options.token ?? ''] });
    this.#options = options;
    // The wrapper may start a signal-cli of its own for each message and gives it 120 s.
    this.timeoutMs = options.api === 'rest' ? 130_000 : 30_000;
  }

  protected override form(markdown: string): string {
    return plainMarkup(withoutTables(markdown, 0), NO_MARKS);
  }

  /** Of an author's number: a linked device is told what the account sends. */
  override isOwn(text: string): boolean {
    return text === this.#options.account;
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const { apiRoot, api, token } = this.#options;
    const isRest = api === 'rest';
    const [path, body] = isRest ? this.#rest(message) : this.#rpc(message);
    const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    const request = postJson(body, signal, headers);
    const answer = await this.request(joinUrl(apiRoot, path), request);
    const { status, json } = answer;
    // Wrappers since July 2026 answer a list.
    const messageId = isRest
      ? (getText(json, 'timestamp') ?? getText(json, 0, 'timestamp'))
      : getText(json, 'result', 'timestamp');
    const failed = findFailure(json);
    if (status < 300 && messageId !== undefined && failed === undefined) return { messageId };
    throw this.#refused(answer, failed);
  }

  #rpc({ to, text, idempotencyKey }: OutgoingMessage): [string, object] {
    const name = USERNAME.exec(to)?.[1];
    const address =
      name !== undefined
        ? { username: [name] }
        : to.startsWith('group.')
          ? { groupId: groupId(to) }
          : { recipient: [person(to)] };
    const params = { account: this.#options.account, ...address, message: text };
    return ['/api/v1/rpc', { jsonrpc: '2.0', id: idempotencyKey, method: 'send', params }];
  }

  #rest({ to, text }: OutgoingMessage): [string, object] {
    const name = USERNAME.exec(to)?.[1];
    const isGroup = name === undefined && to.startsWith('group.');
    const recipient = isGroup
      ? `group.${Buffer.from(groupId(to)).toString('base64')}`
      : (name ?? person(to));
    const { account: number } = this.#options;
    const recipients = [recipient];
    return ['/v2/send', { number, recipients, message: text, text_mode: 'normal' }];
  }

  #refused(answer: HttpAnswer, failed: Failure | undefined): DeliveryError {
    const { status, headers, json } = answer;
    if (status === 421) return this.refusal(answer, { kind: 'permanent', advice: WRONG_HOST });
    const code = failed?.type ?? getText(json, 'error', 'code');
    const message = getText(json, 'error', 'message') ?? getText(json, 'error');
    const kind = toFailureKind(status, code, message);
    const challenge = failed?.token ?? findChallenge(json, message);
    const isTimed = failed?.retryAfterMs !== undefined || headers.has('retry-after');
    return this.refusal(answer, {
      message,
      code,
      kind,
      retryAfterMs: failed?.retryAfterMs,
      ...(code !== undefined && RESULTS[code]),
      ...(challenge !== undefined && { advice: captchaAdvice(challenge) }),
      ...(challenge !== undefined && !isTimed && { retryAfterMs: CAPTCHA_RETRY_MS }),
    });
  }
}

function toFailureKind(status: number, code = '', message = ''): DeliveryFailure | undefined {
  const known = RPC_KINDS[code];
  if (known !== undefined) return known;
  if (status === 400 && message !== '')
    return REST_KINDS.find(([words]) => words.test(message))?.[1];
  return status < 300 && code !== '' ? 'retryable' : undefined;
}

interface Failure {
  readonly type: string;
  readonly retryAfterMs: number | undefined;
  /** Names the captcha that lifts a limit. */
  readonly token: string | undefined;
}

/** Undefined: somebody was reached, or nothing is said. Of a group what may pass counts, and the longest wait. */
function findFailure(json: unknown): Failure | undefined {
  // The REST wrapper repeats there what signal-cli printed.
  const [printed = ''] = getText(json, 'error')?.split('\n') ?? [];
  const results =
    getField(json, 'result', 'results') ??
    getField(json, 'error', 'data', 'response', 'results') ??
    getField(parseJson(printed), 'results');
  if (!Array.isArray(results) || results.length === 0) return undefined;
  const types = results.map((result) => getText(result, 'type') ?? 'SUCCESS');
  const [first] = types;
  if (first === undefined || types.includes('SUCCESS')) return undefined;
  const waits = results.map((result) => Number(getText(result, 'retryAfterSeconds') ?? NaN));
  const known = waits.filter((seconds) => seconds >= 0);
  return {
    type: Object.keys(RESULTS).find((type) => types.includes(type)) ?? first,
    retryAfterMs: known.length === 0 ? undefined : Math.max(...known) * 1000,
    token: results.map((result) => getText(result, 'token')).find((token) => token !== undefined),
  };
}

/** The REST wrapper's own words for the token of a captcha, the older ones printed by signal-cli. */
function findChallenge(json: unknown, message = ''): string | undefined {
  const given = getText(json, 'challenge_tokens', 0) ?? '';
  return given || /challenge token "([^"]+)"/.exec(message)?.[1];
}

function captchaAdvice(token: string): string {
  const shown = token.replace(/[^\w.:+/=-]/g, '').slice(0, 100);
  return `it wants a captcha first: solve ${CAPTCHA_PAGE} and give signal-cli the link behind "Open Signal" with the challenge ${shown} (docs/channels.md, signal)`;
}

/** Blanks, dots, dashes and brackets are allowed in a number; signal-cli wants none. */
function person(to: string): string {
  return UUID.test(to) ? to : `+${to.replace(/\D/g, '')}`;
}

/** signal-cli's own id of a group. The REST wrapper's ids are those, encoded once more. */
function groupId(to: string): string {
  const id = to.slice('group.'.length);
  const decoded = Buffer.from(id, 'base64').toString('latin1');
  return GROUP_ID.test(decoded) ? decoded : id;
}

/** `to` is a phone number, a UUID, a username or `group.<id>`, as either program prints it. No idempotency key. */
export function signal(options: SignalOptions): Channel {
  return new SignalChannel(options);
}
