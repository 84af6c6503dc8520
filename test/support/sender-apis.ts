import { createHmac } from 'node:crypto';
import type { Answer, Platform } from './scripted-server.ts';

/** One attempt of GitHub to deliver, newest last. */
export interface Attempt {
  readonly guid: string;
  readonly event: string;
  /** 0: nobody answered. */
  readonly status: number;
  readonly payload: object;
  readonly at: string;
}

/**
 * GitHub's webhooks of a repository and their deliveries, as its OpenAPI describes them (`hook`, `hook-delivery-item`,
 * `hook-delivery`): https://docs.github.com/en/rest/repos/webhooks. Two deliveries a page.
 */
export function githubApi(secret: string, attempts: readonly Attempt[]): Platform {
  const items = attempts.map(({ guid, event, status, at }, index) => ({
    id: 12_345_678 + index,
    guid,
    delivered_at: at,
    redelivery: attempts.slice(0, index).some((before) => before.guid === guid),
    duration: 0.27,
    status:
      status === 0 ? 'failed to connect to host' : status === 200 ? 'OK' : 'Invalid HTTP Response',
    status_code: status,
    event,
    action: null,
    installation_id: null,
    repository_id: 17,
  }));
  return ({ path }) => {
    const url = new URL(path, 'http://api.github.com');
    const [, id] = /\/hooks\/7\/deliveries\/(\d+)$/.exec(url.pathname) ?? [];
    if (url.pathname === '/repos/octo/hello/hooks') {
      return json([
        { id: 6, name: 'web', config: { url: 'https://elsewhere.example.com/x' } },
        { id: 7, name: 'web', config: { url: 'https://hooks.example.com/hooks/github' } },
      ]);
    }
    if (id !== undefined) {
      const index = items.findIndex((one) => one.id === Number(id));
      return json({ ...items[index], request: requestOf(attempts[index], secret), response: {} });
    }
    if (url.pathname !== '/repos/octo/hello/hooks/7/deliveries') return json({}, 404);
    const from = Number(url.searchParams.get('cursor') ?? '0');
    const page = items.toReversed().slice(from, from + 2);
    const isLast = from + 2 >= items.length;
    // It leads to GitHub itself: nobody follows it with a token.
    const next = `<https://api.github.com/elsewhere?per_page=2&cursor=${from + 2}>; rel="next"`;
    return json(page, 200, isLast ? {} : { link: next });
  };
}

function requestOf(attempt: Attempt | undefined, secret: string): object {
  const body = JSON.stringify(attempt?.payload);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    headers: {
      Accept: '*/*',
      'User-Agent': 'GitHub-Hookshot/b8c71d8',
      'X-GitHub-Delivery': attempt?.guid,
      'X-GitHub-Event': attempt?.event,
      'X-GitHub-Hook-ID': '7',
      'X-Hub-Signature-256': `sha256=${signature}`,
      'content-type': 'application/json',
    },
    payload: attempt?.payload,
  };
}

/** Stripe's list of events, newest first: https://docs.stripe.com/api/events/list. Two a page. @param events newest last */
export function stripeApi(events: readonly { readonly id: string }[]): Platform {
  return ({ path }) => {
    const url = new URL(path, 'https://api.stripe.com');
    if (url.pathname !== '/v1/events' || url.searchParams.get('delivery_success') !== 'false') {
      return json({ error: { type: 'invalid_request_error' } }, 404);
    }
    const newest = events.toReversed();
    const after = url.searchParams.get('starting_after');
    const from = newest.findIndex(({ id }) => id === after) + 1;
    const data = newest.slice(from, from + 2);
    return json({ object: 'list', url: '/v1/events', has_more: from + 2 < newest.length, data });
  };
}

function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, chunks: [JSON.stringify(body)] };
}
