import type { Channel } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getText } from '../../platform/objects.ts';
import { CommentChannel } from './comments.ts';
import type { CommentOptions, Item } from './comments.ts';
import type { Explanation } from './delivery-errors.ts';

export interface GiteaOptions extends CommentOptions {
  /** Address of the server, for example `https://git.example.org`. */
  readonly apiRoot: string;
}

class GiteaChannel extends CommentChannel {
  override readonly provider = 'gitea';
  protected override readonly signs = ['#'];
  protected override readonly depth = 2;

  constructor(options: GiteaOptions) {
    super('Gitea', options, options.apiRoot);
  }

  protected override headers(token: string) {
    return { authorization: `token ${token}` };
  }

  /** https://docs.gitea.com/api: issueCreateComment */
  protected override path({ repository, number }: Item): string {
    return `/api/v1/repos/${repository}/issues/${number}/comments`;
  }

  protected override explain({ status, json }: HttpAnswer): Explanation {
    const message = getText(json, 'message');
    // A token without the scope names it; everything else is about this issue.
    const isOfIssue = status === 403 && !/scope|token/i.test(message ?? '');
    return { message, ...(isOfIssue && message !== undefined && { kind: 'permanent' }) };
  }
}

/** `to`: `<owner>/<repository>#<number>`, of Forgejo, too. No idempotency key. @throws Error without `repositories` */
export function gitea(options: GiteaOptions): Channel {
  return new GiteaChannel(options);
}
