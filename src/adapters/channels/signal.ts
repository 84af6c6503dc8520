import type {
  Channel,
  DeliveryError,
  DeliveryFailure,
  OutgoingMessage,
} from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText } from '../../platform/objects.ts';
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

/** Error codes of signal-cli's JSON-RPC. */
const RPC_KINDS: Readonly<Record<string, DeliveryFailure>> = {
  '-1': 'permanent',
  '-3': 'retryable',
  '-4': 'permanent',
  '-5': 'rate-limited',
  '-6': 'rate-limited',
  '-32601': 'permanent',
  '-32602': 'permanent',
};

/** What one recipient's outcome means; it comes before every error code. */
const RESULT_KINDS: Readonly<Record<string, DeliveryFailure>> = {
  NETWORK_FAILURE: 'retryable',
  UNREGISTERED_FAILURE: 'permanent',
  IDENTITY_FAILURE: 'permanent',
  RATE_LIMIT_FAILURE: 'rate-limited',
  PROOF_REQUIRED_FAILURE: 'rate-limited',
};

class SignalChannel extends PlatformChannel {
  override readonly provider = 'signal';
  // What is longer goes out as an attached file.
  protected override readonly limit = 2000;
  protected override readonly recipient = {
    pattern: /^(?:\+[ .()-]*[1-9](?:[ .()-]*\d){6,14}|group\.[\w+/=-]{8,})$/,
    expected: 'a phone number with + and country code, such as +491701234567, or group.<id>',
  };
  readonly #options: SignalOptions;

  constructor(options: SignalOptions) {
    super({ name: 'Signal', secrets: [options.token ?? ''] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return plainMarkup(withoutTables(markdown, 0), NO_MARKS);
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const { apiRoot, api, token } = this.#options;
    const isRest = api === 'rest';
    const [path, body] = isRest ? this.#rest(message) : this.#rpc(message);
    const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    const request = postJson(body, signal, headers);
    const answer = await this.request(joinUrl(apiRoot, path), request);
    const { status, json } = answer;
    const messageId = isRest ? getText(json, 'timestamp') : getText(json, 'result', 'timestamp');
    const failed = failedResult(json);
    if (status < 300 && messageId !== undefined && failed === undefined) return { messageId };
    throw this.#refused(answer, failed);
  }

  #rpc({ to, text, idempotencyKey }: OutgoingMessage): [string, object] {
    const address = to.startsWith('group.')
      ? { groupId: rawGroup(to) }
      : { recipient: [phone(to)] };
    const params = { account: this.#options.account, ...address, message: text };
    return ['/api/v1/rpc', { jsonrpc: '2.0', id: idempotencyKey, method: 'send', params }];
  }

  #rest({ to, text }: OutgoingMessage): [string, object] {
    const recipients = [to.startsWith('group.') ? to : phone(to)];
    const { account: number } = this.#options;
    return ['/v2/send', { number, recipients, message: text, text_mode: 'normal' }];
  }

  #refused(answer: HttpAnswer, failed: string | undefined): DeliveryError {
    const { status, json } = answer;
    const code = failed ?? getText(json, 'error', 'code');
    const reason = failed?.toLowerCase().replaceAll('_', ' ');
    const message = reason ?? getText(json, 'error', 'message') ?? getText(json, 'error');
    return this.refusal(answer, { message, code, kind: toFailureKind(status, code, message) });
  }
}

function toFailureKind(status: number, code = '', message = ''): DeliveryFailure | undefined {
  const known = RESULT_KINDS[code] ?? RPC_KINDS[code];
  if (known !== undefined) return known;
  // The REST wrapper answers 400 to everything that signal-cli refuses.
  if (status === 400 && /rate.?limit/i.test(message)) return 'rate-limited';
  return status < 300 && code !== '' ? 'retryable' : undefined;
}

/** signal-cli answers with an outcome per recipient, there is one; in an error they stand in its data. */
function failedResult(json: unknown): string | undefined {
  const results =
    getField(json, 'result', 'results') ?? getField(json, 'error', 'data', 'response', 'results');
  if (!Array.isArray(results)) return undefined;
  const outcomes = results.map((result) => getText(result, 'type') ?? 'SUCCESS');
  return outcomes.includes('SUCCESS') ? undefined : outcomes[0];
}

/** Blanks, dots, dashes and brackets are allowed in a recipient; signal-cli wants none. */
function phone(to: string): string {
  return `+${to.replace(/\D/g, '')}`;
}

/** The REST wrapper's group ids are the daemon's, encoded once more. */
function rawGroup(to: string): string {
  return Buffer.from(to.slice('group.'.length), 'base64').toString('utf8');
}

/**
 * Signal through signal-cli, over its daemon or the REST wrapper around it; `to` is a phone number or `group.<id>`.
 * It knows no idempotency key.
 */
export function signal(options: SignalOptions): Channel {
  return new SignalChannel(options);
}
