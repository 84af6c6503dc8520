import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { below, exchange, json } from './exchange.ts';
import type { Answer, Platform } from './exchange.ts';
import { field, textAt } from './field.ts';
import { NO_MARKS, plainMarkup } from './plain-markup.ts';
import { PlatformChannel } from './platform-channel.ts';
import { SIGNAL_RECIPIENT, digitsOf } from './recipients.ts';
import { refusal } from './refusal.ts';

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

/** Outcomes for one recipient that can be told before anything else. */
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
  protected override readonly recipient = SIGNAL_RECIPIENT;
  readonly #options: SignalOptions;
  readonly #platform: Platform;

  constructor(options: SignalOptions) {
    super();
    this.#options = options;
    this.#platform = { name: 'Signal', secrets: [options.token ?? ''] };
  }

  protected override form(markdown: string): string {
    return plainMarkup(markdown, NO_MARKS);
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const { apiRoot, api, token } = this.#options;
    const isRest = api === 'rest';
    const [path, body] = isRest ? this.#rest(message) : this.#rpc(message);
    const init = json(body, token === undefined ? {} : { authorization: `Bearer ${token}` });
    const answer = await exchange(this.#platform, below(apiRoot, path), init, signal);
    const messageId = isRest
      ? textAt(answer.body, 'timestamp')
      : textAt(answer.body, 'result', 'timestamp');
    const failed = failedResult(answer);
    if (answer.status >= 300 || messageId === undefined || failed !== undefined) {
      throw this.#refusal(answer, failed);
    }
    return { messageId };
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

  #refusal(answer: Answer, failed: string | undefined) {
    const { body } = answer;
    const code = failed ?? textAt(body, 'error', 'code');
    const reason = failed?.toLowerCase().replaceAll('_', ' ');
    const said = reason ?? textAt(body, 'error', 'message') ?? textAt(body, 'error');
    return refusal(this.#platform, answer, { said, code, kind: kindOf(answer, code, said) });
  }
}

function kindOf(answer: Answer, code = '', said = ''): DeliveryFailure | undefined {
  const known = RESULT_KINDS[code] ?? RPC_KINDS[code];
  // The REST wrapper answers 400 to everything that signal-cli refuses.
  if (known === undefined && answer.status === 400 && /rate.?limit/i.test(said))
    return 'rate-limited';
  if (known === undefined && answer.status < 300 && code !== '') return 'retryable';
  return known;
}

/** signal-cli answers with an outcome per recipient, there is one; in an error they stand in its data. */
function failedResult({ body }: Answer): string | undefined {
  const results =
    field(body, 'result', 'results') ?? field(body, 'error', 'data', 'response', 'results');
  if (!Array.isArray(results)) return undefined;
  const outcomes = results.map((result) => textAt(result, 'type') ?? 'SUCCESS');
  return outcomes.includes('SUCCESS') ? undefined : outcomes[0];
}

function phone(to: string): string {
  return `+${digitsOf(to)}`;
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
