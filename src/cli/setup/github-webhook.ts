import { getText } from '../../platform/objects.ts';
import { CliError } from '../cli-error.ts';
import { askPlatform, words } from './setup-part.ts';

/** Those that the preset's own steps name. */
const EVENTS = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'release',
  'workflow_run',
];

const GITHUB_API = 'https://api.github.com';

interface NewWebhook {
  /** @default GitHub's own */
  readonly root?: string | undefined;
  /** Of a person or an app that may administer the repository's webhooks. */
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly url: string;
  readonly secret: string;
}

/**
 * https://docs.github.com/en/rest/repos/webhooks#create-a-repository-webhook
 * @returns false: one with this address is there already. @throws CliError where GitHub refuses
 */
export async function makeWebhook(webhook: NewWebhook): Promise<boolean> {
  const { root = GITHUB_API, token, repository, url, secret } = webhook;
  const { status, json } = await askPlatform('GitHub', `${root}/repos/${repository}/hooks`, {
    method: 'POST',
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-github-api-version': '2022-11-28',
    },
    body: JSON.stringify({
      name: 'web',
      active: true,
      events: EVENTS,
      config: { url, content_type: 'json', secret, insecure_ssl: '0' },
    }),
  });
  if (status === 201) return true;
  const details = getText(json, 'errors', 0, 'message') ?? '';
  if (status === 422 && details.startsWith('Hook already exists')) return false;
  throw new CliError(
    `GitHub refused to make the webhook of ${repository} (${status}): ${words(details || getText(json, 'message'), token)}`,
    'The token needs the permission to write webhooks of this repository.',
  );
}
