import type { Channel } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getText } from '../../platform/objects.ts';
import { CommentChannel } from './comments.ts';
import type { CommentOptions, Item } from './comments.ts';
import type { Explanation } from './delivery-errors.ts';

export interface GitHubOptions extends CommentOptions {
  /** Address of the API; of GitHub Enterprise Server `https://<host>/api/v3`. @default 'https://api.github.com' */
  readonly apiRoot?: string;
}

export const GITHUB_ROOT = 'https://api.github.com';

class GitHubChannel extends CommentChannel {
  override readonly provider = 'github';
  protected override readonly signs = ['#'];
  protected override readonly depth = 2;
  /** The first comment of a thread of a review. */
  protected override readonly thread = /^[1-9]\d{0,18}$/;

  constructor(options: GitHubOptions) {
    super('GitHub', options, options.apiRoot ?? GITHUB_ROOT);
  }

  protected override headers(token: string) {
    return {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      // Required: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
      'user-agent': 'nestjs-agent-hooks',
      authorization: `Bearer ${token}`,
    };
  }

  /** https://docs.github.com/en/rest/issues/comments and …/pulls/comments */
  protected override path({ repository, number, thread }: Item): string {
    const kind = thread === undefined ? 'issues' : 'pulls';
    const answers = thread === undefined ? '' : `/${thread}/replies`;
    return `/repos/${repository}/${kind}/${number}/comments${answers}`;
  }

  protected override explain({ status, headers, json }: HttpAnswer): Explanation {
    const message = getText(json, 'message');
    const isLimit =
      headers.has('retry-after') ||
      headers.get('x-ratelimit-remaining') === '0' ||
      /rate limit/i.test(message ?? '');
    if ((status === 403 || status === 429) && isLimit) {
      return { message, kind: 'rate-limited', retryAfterMs: untilReset(headers) };
    }
    return {
      message,
      // It is about this issue, and the next one is another matter.
      ...(status === 403 && /locked/i.test(message ?? '') && { kind: 'permanent' }),
      ...(status === 404 && message !== undefined && { advice: NOT_FOUND }),
    };
  }
}

const NOT_FOUND =
  'the issue is not there, or the token may not see it (Issues: read and write for this repository)';

/**
 * When the primary limit begins anew; undefined: `Retry-After` says it, or nobody.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
function untilReset(headers: Headers): number | undefined {
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  if (headers.has('retry-after') || headers.get('x-ratelimit-remaining') !== '0') return undefined;
  return Number.isFinite(reset) ? Math.max(0, reset * 1000 - Date.now()) : undefined;
}

/** `to`: `<owner>/<repository>#<number>[/<thread's first comment>]`. No key. @throws Error without `repositories` */
export function github(options: GitHubOptions): Channel {
  return new GitHubChannel(options);
}
