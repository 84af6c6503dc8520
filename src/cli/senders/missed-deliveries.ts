import { HttpError, sendHttp } from '../../platform/http-client.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText, isRecord } from '../../platform/objects.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';

// Oldest first. https://docs.github.com/en/rest/repos/webhooks#list-deliveries-for-a-repository-webhook,
// https://docs.stripe.com/api/events/list

export interface MissedDelivery {
  /** The sender's own id of it. */
  readonly id: string;
  /** When it happened, in ISO 8601. */
  readonly at: string;
  /** What it is about: `issues`, `invoice.payment_failed`. */
  readonly event: string;
  /** In lower case; no signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that the sender may have signed, the likeliest first. */
  readonly bodies: readonly string[];
  /** The signature that it went out with; absent: the sender does not say. */
  readonly signature?: string | undefined;
}

export interface SenderApi {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

const PATIENCE_MS = 30_000;
const MOST_BYTES = 32 * 1024 * 1024;
const PAGE = 100;

/** @param hook `repos/<owner>/<repository>/hooks/<id>`, or `orgs/…` @param since in milliseconds since 1970 */
export async function missedAtGithub(
  api: SenderApi,
  hook: string,
  since: number,
): Promise<MissedDelivery[]> {
  const attempts: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await ask(api, `${hook}/deliveries?per_page=${PAGE}${next}`);
    const page = listOf(answer.json);
    attempts.push(...page);
    const isOver = page.some((attempt) => timeOf(attempt) < since);
    cursor = isOver ? null : nextCursor(answer.headers.get('link'));
  }
  const arrived = new Set(attempts.filter(isDelivered).map((one) => getText(one, 'guid')));
  const missed = new Map<string, unknown>();
  // The newest comes first, so the first attempt at each stays.
  for (const attempt of attempts) {
    const guid = getText(attempt, 'guid');
    const isMissed = guid !== undefined && !arrived.has(guid) && timeOf(attempt) >= since;
    if (isMissed) missed.set(guid, attempt);
  }
  const deliveries: MissedDelivery[] = [];
  for (const [guid, attempt] of [...missed].toReversed()) {
    const { json } = await ask(api, `${hook}/deliveries/${idOf(attempt)}`);
    const headers = lowerCase(getField(json, 'request', 'headers'));
    const text = JSON.stringify(getField(json, 'request', 'payload'));
    deliveries.push({
      id: guid,
      at: getText(attempt, 'delivered_at') ?? '',
      event: getText(attempt, 'event') ?? '',
      headers: {
        'content-type': 'application/json',
        ...Object.fromEntries(headers.filter(([name]) => name.startsWith('x-github-'))),
      },
      bodies: [text, escaped(text)],
      signature: new Map(headers).get('x-hub-signature-256'),
    });
  }
  return deliveries;
}

/** @param since in milliseconds since 1970 */
export async function missedAtStripe(api: SenderApi, since: number): Promise<MissedDelivery[]> {
  const query = `delivery_success=false&limit=${PAGE}&created[gte]=${Math.floor(since / 1000)}`;
  const events: unknown[] = [];
  for (let isMore = true; isMore;) {
    const last = getText(events.at(-1), 'id');
    const after = last === undefined ? '' : `&starting_after=${encodeURIComponent(last)}`;
    const { json } = await ask(api, `v1/events?${query}${after}`);
    const page = listOf(getField(json, 'data'));
    events.push(...page);
    isMore = getField(json, 'has_more') === true && page.length > 0;
  }
  return events.toReversed().map((event) => ({
    id: getText(event, 'id') ?? '',
    at: new Date(Number(getField(event, 'created')) * 1000).toISOString(),
    event: getText(event, 'type') ?? '',
    headers: { 'content-type': 'application/json' },
    // As Stripe writes what it delivers.
    bodies: [JSON.stringify(event, undefined, 2)],
  }));
}

/** The id of the webhook whose address ends with that path. @param owner `repos/<owner>/<repository>`, or `orgs/<name>` @throws CliError unless there is one */
export async function findGithubHook(api: SenderApi, owner: string, path: string): Promise<string> {
  const { json } = await ask(api, `${owner}/hooks?per_page=${PAGE}`);
  const [found, ...others] = listOf(json).filter((hook) =>
    URL.parse(getText(hook, 'config', 'url') ?? '')?.pathname.endsWith(path),
  );
  if (found !== undefined && others.length === 0) return idOf(found);
  throw new CliError(
    `${found === undefined ? 'No' : 'More than one'} webhook of ${asLine(owner)} leads to ${path}.`,
    'Name it with --hook; its id is at the end of its address at GitHub.',
  );
}

/** @throws CliError for any answer but 200 */
async function ask({ url, token, signal }: SenderApi, path: string): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'nestjs-agent-hooks' };
  const limits = { timeoutMs: PATIENCE_MS, maxBytes: MOST_BYTES, signal };
  try {
    const answer = await sendHttp(`${url}/${path}`, { headers, ...limits });
    if (answer.status === 200) return answer;
    const { host } = new URL(url);
    const hint =
      answer.status === 401 || answer.status === 403 || answer.status === 404
        ? 'May the token read webhooks and their deliveries there (GitHub: Webhooks, read), or events (Stripe)?'
        : 'Try again later: what was taken in is known then.';
    throw new CliError(`${host} answers ${answer.status}.`, hint);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw new CliError(`${error.message}.`, 'Try again later.', EXIT.unreachable);
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new CliError('The answer is no list of the sender.', 'Is the address of its API right?');
}

/** Only the cursor is taken from the address: the token goes nowhere else. */
function nextCursor(link: string | null): string | null {
  const [, address = ''] = /<([^>]*)>;\s*rel="next"/.exec(link ?? '') ?? [];
  return URL.parse(address)?.searchParams.get('cursor') ?? null;
}

function isDelivered(attempt: unknown): boolean {
  const status = Number(getField(attempt, 'status_code'));
  return status >= 200 && status < 300;
}

const timeOf = (attempt: unknown): number => Date.parse(getText(attempt, 'delivered_at') ?? '');

const idOf = (value: unknown): string => String(Number(getField(value, 'id')));

function lowerCase(headers: unknown): [string, string][] {
  return Object.entries(isRecord(headers) ? headers : {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as [string, string]] : [],
  );
}

/** As Rails writes JSON for browsers. */
function escaped(text: string): string {
  return text.replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
