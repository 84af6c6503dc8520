import type { Channel } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText, isRecord } from '../../platform/objects.ts';
import { CommentChannel } from './comments.ts';
import type { CommentOptions, Item } from './comments.ts';
import type { Explanation } from './delivery-errors.ts';

export interface GitLabOptions extends CommentOptions {
  /** Address of the server. @default 'https://gitlab.com' */
  readonly apiRoot?: string;
}

export const GITLAB_ROOT = 'https://gitlab.com';

class GitLabChannel extends CommentChannel {
  override readonly provider = 'gitlab';
  protected override readonly signs = ['#', '!'];
  protected override readonly depth = 21;
  protected override readonly thread = /^[0-9a-f]{40}$/;

  constructor(options: GitLabOptions) {
    super('GitLab', options, options.apiRoot ?? GITLAB_ROOT);
  }

  protected override headers(token: string) {
    return { 'private-token': token };
  }

  /** https://docs.gitlab.com/api/notes/ and https://docs.gitlab.com/api/discussions/ */
  protected override path({ repository, sign, number, thread }: Item): string {
    const kind = sign === '!' ? 'merge_requests' : 'issues';
    const item = `/api/v4/projects/${encodeURIComponent(repository)}/${kind}/${number}`;
    return item + (thread === undefined ? '/notes' : `/discussions/${thread}/notes`);
  }

  protected override explain({ json }: HttpAnswer): Explanation {
    const said = getField(json, 'message');
    const words = isRecord(said) ? Object.values(said).flat().join(', ') : getText(json, 'message');
    const error = getText(json, 'error_description') ?? getText(json, 'error');
    return { message: words ?? error };
  }
}

/** `to`: `<project>#<issue>` or `<project>!<merge request>`, `[/<discussion>]`. @throws Error without `repositories` */
export function gitlab(options: GitLabOptions): Channel {
  return new GitLabChannel(options);
}
