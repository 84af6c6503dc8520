import type { AgentTurn } from '../../hooks/ports/agent-runner.ts';
import { AgentError } from '../../hooks/ports/agent-runner.ts';
import type { CallbackSettings } from '../../hooks/ports/agent-directory.ts';
import { HttpError, sendHttp } from '../../platform/http-client.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText, isRecord, parseJson } from '../../platform/objects.ts';
import { parseRetryAfter } from '../../platform/time.ts';
import { fillHeaders } from './gateway.ts';

export type Standing =
  | { readonly is: 'working'; readonly progress?: string }
  | { readonly is: 'succeeded'; readonly text: string }
  | { readonly is: 'failed'; readonly error: string };

export interface Callback {
  /** Absent: nobody said where this service is reached. */
  readonly url: string | undefined;
  readonly token: string;
  /** The same as long as the same start is repeated. */
  readonly key: string;
}

export interface Remote {
  readonly turn: AgentTurn;
  readonly settings: CallbackSettings;
  readonly signal: AbortSignal;
}

interface CallbackProtocol {
  isRepeatable(settings: CallbackSettings): boolean;
  /** @returns by what it is asked later; empty: it cannot be. @throws AgentError */
  start(remote: Remote, callback: Callback): Promise<{ task: string; standing: Standing }>;
  /** What it says of itself; null: it has to be asked. */
  read(body: unknown): Standing | null;
  /** @throws AgentError */
  ask(remote: Remote, task: string): Promise<Standing>;
  cancel(remote: Remote, task: string): Promise<unknown>;
}

/** Longest error and progress that is kept, in characters. */
const MAX_WORDS = 500;
const ANSWER_MS = 30_000;

/**
 * Ours: `POST <baseUrl>` with an `Idempotency-Key`, answered with any 2xx and, if it likes, with JSON `{status, text,
 * error, url}`: `url` is where the run is asked for (GET) and ended (DELETE). A callback is the same JSON; `status` is
 * `working`, `succeeded` or `failed`.
 */
const plain: CallbackProtocol = {
  // Of a body that an operator wrote nobody knows who reads it.
  isRepeatable: ({ body }) => body === undefined,
  async start(remote, callback) {
    const { turn, settings } = remote;
    const { id, prompt, agent, sessionKey, contract, model } = turn;
    const told = { id, prompt, agent: agent.id, session: sessionKey };
    const body = settings.body
      ? filled(settings.body, {
          ...told,
          callbackUrl: callback.url ?? '',
          callbackToken: callback.token,
        })
      : {
          ...told,
          model,
          trust: contract.trust,
          callback: { url: callback.url, token: callback.token },
        };
    const answer = await post(remote, settings.baseUrl, body, { 'idempotency-key': callback.key });
    return {
      task: ownUrl(getText(answer.json, 'url'), settings),
      standing: readPlain(answer.json) ?? { is: 'working' },
    };
  },
  read: readPlain,
  async ask(remote, task) {
    if (!URL.canParse(task)) return { is: 'failed', error: UNKNOWN_TASK };
    const answer = await send(remote, task, { method: 'GET' });
    return readPlain(answer.json) ?? { is: 'working' };
  },
  cancel: (remote, task) => send(remote, task, { method: 'DELETE' }),
};

const UNKNOWN_TASK = 'the agent was started by another protocol, and cannot be asked by this one';

/** Where it says that it is asked; empty: nowhere. Another place than its own is sent no key of it. */
function ownUrl(url: string | undefined, { baseUrl }: CallbackSettings): string {
  const named = url === undefined ? null : URL.parse(url, baseUrl);
  return named?.origin === URL.parse(baseUrl)?.origin ? (named?.href ?? '') : '';
}

function readPlain(body: unknown): Standing | null {
  const text = getText(body, 'text') ?? '';
  switch (getText(body, 'status')) {
    case 'working':
      return { is: 'working', ...(text !== '' && { progress: shortened(text) }) };
    case 'succeeded':
      return { is: 'succeeded', text };
    case 'failed':
      return { is: 'failed', error: shortened(getText(body, 'error') ?? text) };
    default:
      return null;
  }
}

/** Agent2Agent 1.0: methods, fields and states as `@a2a-js/sdk` 1.3.0 has them (`dist/server/index.js`). */
const a2a: CallbackProtocol = {
  // A server may know a message again, and need not (specification §3.1.1).
  isRepeatable: () => false,
  async start(remote, { url, token, key }) {
    const { prompt } = remote.turn;
    const authentication = { scheme: 'Bearer', credentials: token };
    const params = {
      message: { messageId: key, role: 'ROLE_USER', parts: [{ text: prompt }] },
      configuration: {
        returnImmediately: true,
        ...(url !== undefined && { taskPushNotificationConfig: { url, token, authentication } }),
      },
    };
    const result = await call(remote, 'SendMessage', params);
    const message = getField(result, 'message');
    if (isRecord(message)) {
      return { task: '', standing: { is: 'succeeded', text: partsText(message) } };
    }
    const task = getField(result, 'task');
    return { task: getText(task, 'id') ?? '', standing: readTask(task) };
  },
  read(body) {
    const status = getField(getField(body, 'statusUpdate') ?? getField(body, 'task'), 'status');
    // What it has made is told of only when it is asked.
    if (isRecord(status) && TASK_STATES[getText(status, 'state') ?? ''] !== undefined) return null;
    const progress = shortened(partsText(getField(status, 'message')));
    return { is: 'working', ...(progress !== '' && { progress }) };
  },
  ask: async (remote, id) => readTask(await call(remote, 'GetTask', { id })),
  cancel: (remote, id) => call(remote, 'CancelTask', { id }),
};

export const PROTOCOLS: Readonly<Record<CallbackSettings['protocol'], CallbackProtocol>> = {
  plain,
  a2a,
};

const TASK_STATES: Readonly<Record<string, 'succeeded' | 'failed'>> = {
  TASK_STATE_COMPLETED: 'succeeded',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'failed',
  TASK_STATE_REJECTED: 'failed',
  TASK_STATE_INPUT_REQUIRED: 'failed',
  TASK_STATE_AUTH_REQUIRED: 'failed',
};

function readTask(task: unknown): Standing {
  const status = getField(task, 'status');
  const state = getText(status, 'state') ?? '';
  const said = partsText(getField(status, 'message'));
  const end = TASK_STATES[state];
  if (end === undefined) {
    return { is: 'working', ...(said !== '' && { progress: shortened(said) }) };
  }
  if (end === 'failed') {
    const what = state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', ' ');
    return {
      is: 'failed',
      error: `the task is ${what}${said === '' ? '' : `: ${shortened(said)}`}`,
    };
  }
  const artifacts = getField(task, 'artifacts');
  const made = Array.isArray(artifacts) ? artifacts.map(partsText).filter((one) => one !== '') : [];
  return { is: 'succeeded', text: made.length > 0 ? made.join('\n\n') : said };
}

function partsText(of: unknown): string {
  const parts = getField(of, 'parts');
  if (!Array.isArray(parts)) return '';
  return parts.flatMap((part) => getText(part, 'text') ?? []).join('\n');
}

/** @throws AgentError for what the server refuses */
async function call(remote: Remote, method: string, params: object): Promise<unknown> {
  const body = { jsonrpc: '2.0', id: remote.turn.id, method, params };
  const { json } = await post(remote, remote.settings.baseUrl, body, { 'a2a-version': '1.0' });
  const error = getField(json, 'error');
  if (error === undefined) return getField(json, 'result');
  const message = shortened(getText(error, 'message') ?? 'it gave no reason');
  throw new AgentError(`${hostOf(remote)} refused ${method}: ${message}`, 'permanent');
}

function post(
  remote: Remote,
  url: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  const sent = { 'content-type': 'application/json', ...headers };
  return send(remote, url, { method: 'POST', body: JSON.stringify(body), headers: sent });
}

/** @throws AgentError for anything but a 2xx */
async function send(
  remote: Remote,
  url: string,
  { headers = {}, ...request }: { method: string; body?: string; headers?: Record<string, string> },
): Promise<HttpAnswer> {
  const { turn, settings, signal } = remote;
  const key: Record<string, string> =
    settings.apiKey === undefined ? {} : { authorization: `Bearer ${settings.apiKey}` };
  const own = fillHeaders(settings.headers, turn, turn.sessionKey);
  const answer = await sendHttp(url, {
    ...request,
    headers: { ...headers, ...key, ...own },
    timeoutMs: ANSWER_MS,
    signal,
  }).catch((error: unknown) => {
    if (!(error instanceof HttpError)) throw error;
    throw new AgentError(error.message, error.kind === 'unreachable' ? 'unreachable' : 'retryable');
  });
  const { status, json } = answer;
  if (status >= 200 && status <= 299) return answer;
  const said = getText(getField(json, 'error'), 'message');
  const retryAfterMs = parseRetryAfter(answer.headers.get('retry-after') ?? undefined, Date.now());
  const why = said === undefined ? '' : `: ${shortened(said)}`;
  throw new AgentError(`${hostOf(remote)} answered ${status}${why}`, kindOf(status), retryAfterMs);
}

function kindOf(status: number): AgentError['kind'] {
  if (status === 429) return 'rate-limited';
  if ([502, 503, 504].includes(status)) return 'unreachable';
  if (status === 401 || status === 403 || status === 404) return 'needs-operator';
  return status >= 500 ? 'retryable' : 'permanent';
}

function hostOf({ settings }: Remote): string {
  return URL.parse(settings.baseUrl)?.host ?? 'the agent';
}

const PLACEHOLDER = /\{(id|prompt|agent|session|callbackUrl|callbackToken)\}/g;

/** A body with its placeholders filled, each once: what stands in a prompt is none. */
function filled(body: object, values: Readonly<Record<string, string>>): object {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'string'
      ? value.replace(PLACEHOLDER, (_, name: string) => values[name] ?? '')
      : value,
  );
  const parsed = parseJson(text);
  return isRecord(parsed) ? parsed : {};
}

function shortened(text: string): string {
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}…` : text;
}
