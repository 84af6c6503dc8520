import { HttpError, sendHttp } from '../../platform/http-client.ts';
import { getField, getText } from '../../platform/objects.ts';

/*
 * Addresses under which this machine can be reached from outside: a tunnel that runs already tells its own. ngrok's agent
 * API (https://ngrok.com/docs/agent/api) and cloudflared's metrics server (quick tunnels, ports 20241 to 20245) both
 * listen on this machine only.
 */

/** A tunnel to our port. */
export interface Tunnel {
  /** `https://…`, without a slash at its end. */
  readonly url: string;
  readonly by: string;
}

const NGROK = 'http://127.0.0.1:4040/api/tunnels';
const CLOUDFLARED_PORTS = [20_241, 20_242, 20_243, 20_244, 20_245];
const TIMEOUT_MS = 500;

/** What to type where no tunnel runs. */
export const TUNNEL_HINT = (port: number): string =>
  `No tunnel runs here. One that needs no account: cloudflared tunnel --url http://127.0.0.1:${port}`;

/** Those that lead to this port, as far as they can tell. */
export async function findTunnels(port: number): Promise<readonly Tunnel[]> {
  const [ngrok, ...cloudflared] = await Promise.all([
    answerOf(NGROK),
    ...CLOUDFLARED_PORTS.map((at) => answerOf(`http://127.0.0.1:${at}/quicktunnel`)),
  ]);
  const tunnels = getField(ngrok, 'tunnels');
  const ofNgrok = (Array.isArray(tunnels) ? tunnels : [])
    .filter((one) => new RegExp(`:${port}$`).test(getText(one, 'config', 'addr') ?? ''))
    .map((one) => ({ url: getText(one, 'public_url'), by: 'ngrok' }));
  const ofCloudflared = cloudflared
    .map((one) => getText(one, 'hostname'))
    .map((host) => ({
      url: host === undefined ? undefined : `https://${host}`,
      by: 'cloudflared',
    }));
  return [...ofNgrok, ...ofCloudflared].flatMap(({ url, by }) =>
    url !== undefined && /^https:\/\/[\w.-]+$/.test(url) ? [{ url, by }] : [],
  );
}

/** Undefined: nobody listens there, or somebody else. */
async function answerOf(url: string): Promise<unknown> {
  try {
    return (await sendHttp(url, { timeoutMs: TIMEOUT_MS, isDirect: true })).json;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}
