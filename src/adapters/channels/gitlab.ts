import type { Channel } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText, isRecord } from '../../platform/objects.ts';
import { CommentChannel } from './comments.ts';
import type { CommentOptions, Item } from './comments.ts';
import type { Explanation } from './delivery-errors.ts';
import { joinUrl } from './platform-channel.ts';

export interface GitLabOptions extends CommentOptions {
  /** Address of the server. @default 'https://gitlab.com' */
  readonly apiRoot?: string;
}

export const GITLAB_ROOT = 'https://gitlab.com';

class GitLabChannel extends CommentChannel {
  override readonly provider = 'gitlab';
  protected override readonly signs = ['#', '!'];
  protected override readonly depth = 21;
  readonly #options: GitLabOptions;

  constructor(options: GitLabOptions) {
    super('GitLab', options);
    this.#options = options;
  }

  /** https://docs.gitlab.com/api/notes/ */
  protected override comment({ repository, sign, number }: Item, body: string) {
    const { token, apiRoot = GITLAB_ROOT } = this.#options;
    const kind = sign === '!' ? 'merge_requests' : 'issues';
    const project = encodeURIComponent(repository);
    const url = joinUrl(apiRoot, `/api/v4/projects/${project}/${kind}/${number}/notes`);
    const headers = { 'content-type': 'application/json', 'private-token': token };
    return [url, { method: 'POST', headers, body: JSON.stringify({ body }) }] as const;
  }

  protected override explain({ json }: HttpAnswer): Explanation {
    const said = getField(json, 'message');
    const words = isRecord(said) ? Object.values(said).flat().join(', ') : getText(json, 'message');
    const error = getText(json, 'error_description') ?? getText(json, 'error');
    return { message: words ?? error };
  }
}

/**
 * GitLab's issues (`<groups>/<project>#<number>`) and merge requests (`<groups>/<project>!<number>`); the message becomes
 * a note there. It knows no idempotency key.
 * @throws Error when `repositories` names none
 */
export function gitlab(options: GitLabOptions): Channel {
  return new GitLabChannel(options);
}
