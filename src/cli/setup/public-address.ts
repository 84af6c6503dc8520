import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HttpError, sendHttp } from '../../platform/http-client.ts';
import { getField, getText, isRecord, parseJson } from '../../platform/objects.ts';

// ngrok's agent API (https://ngrok.com/docs/agent/api), cloudflared's metrics server (of a quick tunnel, on a port from
// 20241 to 20245), and Tailscale's Funnel by its own command (ServeConfig of its ipn/serve.go).

interface Tunnel {
  /** `https://…`, without a slash at its end. */
  readonly url: string;
  readonly by: string;
}

interface TunnelPlaces {
  readonly ngrok: string;
  readonly cloudflared: readonly string[];
  readonly tailscale: string;
  readonly timeoutMs: number;
}

const PLACES: TunnelPlaces = {
  ngrok: 'http://127.0.0.1:4040',
  cloudflared: [20_241, 20_242, 20_243, 20_244, 20_245].map((port) => `http://127.0.0.1:${port}`),
  tailscale: 'tailscale',
  timeoutMs: 1000,
};

export function tunnelHint(port: number): string {
  return `No tunnel runs here. One that needs no account: cloudflared tunnel --url http://127.0.0.1:${port}`;
}

/** Those that lead to this port, as far as they can tell. */
export async function findTunnels(port: number, places = PLACES): Promise<readonly Tunnel[]> {
  const leadsHere = (target = '', mount = '/'): boolean =>
    target.replace(/\/$/, '').endsWith(`:${port}${mount.replace(/\/$/, '')}`);
  const { timeoutMs } = places;
  const [ngrok, tailscale, ...cloudflared] = await Promise.all([
    answerOf(`${places.ngrok}/api/tunnels`, timeoutMs),
    outputOf(places.tailscale, ['funnel', 'status', '--json'], timeoutMs),
    ...places.cloudflared.map((at) => answerOf(`${at}/quicktunnel`, timeoutMs)),
  ]);
  const tunnels = getField(ngrok, 'tunnels');
  const funnels = getField(tailscale, 'AllowFunnel');
  const found = [
    ...(Array.isArray(tunnels) ? tunnels : [])
      .filter((one) => leadsHere(getText(one, 'config', 'addr')))
      .map((one) => ({ url: getText(one, 'public_url'), by: 'ngrok' })),
    ...cloudflared.map((one) => ({
      url: `https://${getText(one, 'hostname') ?? ''}`,
      by: 'cloudflared',
    })),
    ...Object.keys(isRecord(funnels) ? funnels : {})
      .filter((host) => {
        // Funnel takes the path off that it is mounted at: a target with the same path puts it back.
        const mounted = getField(tailscale, 'Web', host, 'Handlers');
        return Object.entries(isRecord(mounted) ? mounted : {}).some(([mount, handler]) =>
          leadsHere(getText(handler, 'Proxy'), mount),
        );
      })
      .map((host) => ({ url: `https://${host.replace(/:443$/, '')}`, by: 'Tailscale' })),
  ];
  return found.flatMap(({ url, by }) =>
    url !== undefined && /^https:\/\/\w[\w.:-]*$/.test(url) ? [{ url, by }] : [],
  );
}

/** Undefined: nobody listens there, or somebody else. */
async function answerOf(url: string, timeoutMs: number): Promise<unknown> {
  try {
    return (await sendHttp(url, { timeoutMs, isDirect: true })).json;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

/** Undefined: there is no such program, or it has nothing to say. */
async function outputOf(
  program: string,
  args: readonly string[],
  timeout: number,
): Promise<unknown> {
  const run = promisify(execFile)(program, args, { timeout });
  return run.then(({ stdout }) => parseJson(stdout)).catch(() => undefined);
}
