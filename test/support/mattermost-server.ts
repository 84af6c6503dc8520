import { ScriptedServer } from './scripted-server.ts';
import type { Answer, RecordedRequest } from './scripted-server.ts';

/** Of the channel that its bot is a member of. */
export const MATTERMOST_CHANNEL = 'a'.repeat(26);

/**
 * Mattermost as far as a set-up and a reply need it: who the token is, its teams, their channels, and a post
 * (https://api.mattermost.com).
 */
export class MattermostServer extends ScriptedServer {
  /** @param channel what people see of it */
  constructor(
    readonly token: string,
    channel = 'Ops',
  ) {
    super((request) => this.#answer(request, channel));
  }

  /** What was posted. */
  get posts(): readonly string[] {
    return this.requests
      .filter(({ path }) => path === '/api/v4/posts')
      .map(({ body }) => String((body as { message: unknown }).message));
  }

  #answer({ method, path, headers }: RecordedRequest, channel: string): Answer {
    if (headers.authorization !== `Bearer ${this.token}`) {
      return json(401, { id: 'api.context.session_expired.app_error', message: 'Invalid session' });
    }
    const known: Readonly<Record<string, unknown>> = {
      'GET /api/v4/users/me': { id: 'u', username: 'events' },
      'GET /api/v4/users/me/teams': [{ id: 'team1', display_name: 'Acme' }],
      'GET /api/v4/users/me/teams/team1/channels': [
        { id: MATTERMOST_CHANNEL, display_name: channel },
        { id: 'b'.repeat(26), display_name: 'Town Square' },
      ],
      'POST /api/v4/posts': { id: 'p'.repeat(26), channel_id: MATTERMOST_CHANNEL },
    };
    const answer = known[`${method} ${path}`];
    return answer === undefined ? json(404, {}) : json(method === 'POST' ? 201 : 200, answer);
  }
}

function json(status: number, body: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(body)],
  };
}
