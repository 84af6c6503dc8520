import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { assertDocumented } from './documented-answers.ts';

/** What `fetch` cannot ask: any `Host`, and over a socket in the file system. */
interface HttpQuestion {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** False: docs/openapi.json does not know the route. @default true */
  readonly isDocumented?: boolean;
}

/** @param at `http://127.0.0.1:18790` or `unix:/run/hooks/ops.sock`. */
export async function askAt(
  at: string,
  path: string,
  { method = 'GET', token, headers = {}, body: sent, isDocumented = true }: HttpQuestion = {},
): Promise<{
  status: number;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}> {
  const [, socketPath] = /^unix:(.*)$/.exec(at) ?? [];
  const { hostname, port } = new URL(socketPath === undefined ? at : 'http://localhost:80');
  const asking = request({
    ...(socketPath === undefined
      ? { host: hostname.replaceAll(/[[\]]/g, ''), port }
      : { socketPath }),
    agent: false,
    method,
    path,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  asking.end(sent === undefined ? undefined : JSON.stringify(sent));
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  const body = await text(answer);
  const status = answer.statusCode ?? 0;
  if (isDocumented) assertDocumented(method, path, { status, text: body });
  return { status, headers: answer.headers, body: body.startsWith('{') ? JSON.parse(body) : {} };
}
