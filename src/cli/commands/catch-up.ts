import { ConfigurationError } from '../../hooks/index.ts';
import type { ResolvedHooksOptions } from '../../hooks/index.ts';
import { findPreset, senderPath } from '../../service/index.ts';
import type { HookPost } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, option, pastTime } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { findGithubHook, missedAtGithub, missedAtStripe } from '../senders/missed-deliveries.ts';
import type { MissedDelivery, SenderApi } from '../senders/missed-deliveries.ts';
import { signFor } from '../senders/sample-post.ts';
import type { ServiceSigning } from '../senders/sample-post.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import { ServiceRefusal } from '../service/service-answers.ts';
import { givenSafeUrl } from '../service/service-place.ts';
import { Interruption } from '../terminal.ts';

/*
 * Each goes to the hook as the sender's own, signed with its secret, oldest first: what has been taken in before is known
 * there by the same keys. GitHub could be asked to deliver again itself, but only to a public address.
 */

const APIS = {
  github: { url: 'https://api.github.com', variable: 'GITHUB_TOKEN' },
  stripe: { url: 'https://api.stripe.com', variable: 'STRIPE_API_KEY' },
} as const;
type Sender = keyof typeof APIS;
const HOUR_MS = 3_600_000;

export const catchUp = defineCommand({
  name: 'catch-up',
  description: 'take in what GitHub or Stripe could not deliver while the service was away',
  arguments: [['<sender>', 'github (token in GITHUB_TOKEN) or stripe (key in STRIPE_API_KEY)']],
  options: [
    option('--repo <owner/name>', 'github: the repository of the webhook'),
    option('--org <name>', 'github: its organization, instead'),
    option('--hook <id>', 'github: its id (default: the one that leads to the hook)'),
    option('--since <time>', 'how far back: 24h, 2026-01-31 (default: hooks.idempotencyHours)'),
    option('--api <url>', 'where its API is, if not at the usual place', (url) =>
      givenSafeUrl(url, '--api'),
    ),
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks catch-up github --repo octocat/hello', 'each failed delivery, once and in order'],
    ['hooks catch-up stripe --since 6h', 'what Stripe could not deliver in the last six hours'],
  ],
  async action(context, options, name) {
    using interruption = new Interruption();
    const { signal } = interruption;
    const { terminal, clock } = context;
    const { resolved, problems, env } = await context.inspect();
    if (resolved === undefined) throw new ConfigurationError(problems);
    const sender = toSender(name);
    const settings = resolved.effective;
    const hook = hookOf(sender, settings);
    const service = await findService(context, { ...options, hook }, signal);
    const { variable, url } = APIS[sender];
    const token = env[variable]?.trim() ?? '';
    if (token === '') {
      const hint = 'Set it in the environment, or in .env of the configuration.';
      throw new CliError(`The variable ${variable} is not set.`, hint, EXIT.usage);
    }
    const at = options.api === undefined ? url : options.api.href;
    const api = { url: at.replace(/\/+$/, ''), token, signal };
    const now = clock.now();
    const since = pastTime('--since', options.since, now);
    const from =
      since === undefined ? now - settings.hooks.idempotencyHours * HOUR_MS : Date.parse(since);
    const path = `${service.hooksPath}/${hook}`;
    const missed =
      sender === 'stripe'
        ? await missedAtStripe(api, from)
        : await missedAtGithub(api, await githubHook(api, options, path), from);
    const taken: Taken[] = [];
    for (const delivery of missed) {
      const post = signed(delivery, hook, { settings, service, now: clock.now() });
      const outcome = await service
        .send(post)
        .then(
          ({ eventId, isRepeat, failure }) =>
            failure === undefined
              ? { outcome: isRepeat ? 'known' : 'taken in', eventId }
              : { outcome: `failed: ${failure.code}`, eventId },
          refusalOf,
        );
      const { id, event } = delivery;
      taken.push({ id, event, at: delivery.at, ...outcome });
      if (options.json !== true) {
        terminal.print(asLine(`${delivery.at}  ${event}  ${id}  ${outcome.outcome}`));
      }
    }
    if (options.json === true) terminal.printJson({ deliveries: taken });
    else if (missed.length === 0) terminal.note('Nothing was missed.');
    if (taken.some(({ outcome }) => /^(?:refused|failed)/.test(outcome))) {
      terminal.exitCode = EXIT.failed;
    }
  },
});

interface Taken extends Pick<MissedDelivery, 'id' | 'at' | 'event'> {
  /** `taken in`, `known`, or `refused` and `failed` with a code. */
  readonly outcome: string;
  readonly eventId: string | null;
}

function toSender(name: string): Sender {
  if (name === 'github' || name === 'stripe') return name;
  throw new CliError('Only github and stripe tell what they missed.', undefined, EXIT.usage);
}

/** @throws CliError where its preset is not enabled */
function hookOf(sender: Sender, settings: ResolvedHooksOptions): string {
  const preset = findPreset(sender, settings);
  if (preset !== undefined && settings.hooks.presets.includes(sender)) {
    return senderPath(preset, settings.hooks);
  }
  throw new CliError(`There is no hook of ${sender}.`, `Set it up: hooks setup ${sender}`);
}

/** @throws CliError */
async function githubHook(
  api: SenderApi,
  { repo, org, hook }: { readonly repo?: string; readonly org?: string; readonly hook?: string },
  path: string,
): Promise<string> {
  const isRepo = repo !== undefined && /^[\w-]+\/(?!\.+$)[\w.-]+$/.test(repo);
  const isOrg = org !== undefined && /^[\w-]+$/.test(org);
  if (isRepo === isOrg || (hook !== undefined && !/^\d{1,15}$/.test(hook))) {
    const hint = 'For example: hooks catch-up github --repo octocat/hello';
    throw new CliError(
      'Name the repository or the organization, and a hook by number.',
      hint,
      EXIT.usage,
    );
  }
  const owner = isRepo ? `repos/${repo}` : `orgs/${org}`;
  return `${owner}/hooks/${hook ?? (await findGithubHook(api, owner, path))}`;
}

/** With the bytes that the sender itself signed, where a signature shows which they were. */
function signed(
  { headers, bodies, signature }: MissedDelivery,
  name: string,
  signing: ServiceSigning,
): HookPost {
  const posts = bodies.map((body) =>
    signFor({ name, headers, query: {}, body: Buffer.from(body) }, signing),
  );
  const isOwn = (post: HookPost): boolean => Object.values(post.headers).includes(signature ?? '');
  const [first] = posts;
  if (first === undefined) throw new TypeError('a delivery has a body');
  return posts.find(isOwn) ?? first;
}

/** A no to this one; another way of failing ends the command, to be called again. */
function refusalOf(error: unknown): Pick<Taken, 'outcome' | 'eventId'> {
  if (!(error instanceof ServiceRefusal) || error.status >= 500) throw error;
  return { outcome: `refused: ${error.code}`, eventId: null };
}
