import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { ScriptedServer } from '../../../test/support/scripted-server.ts';
import { findTunnels } from './public-address.ts';

/** What the programs say, as their own sources have it. */
const NGROK = {
  tunnels: [
    { public_url: 'https://ab12.ngrok-free.app', config: { addr: 'http://localhost:18790' } },
    { public_url: 'https://other.ngrok-free.app', config: { addr: 'http://localhost:3000' } },
    { public_url: 'tcp://0.tcp.ngrok.io:1', config: { addr: 'localhost:18790' } },
  ],
};
const FUNNEL = {
  AllowFunnel: {
    'box.tail.ts.net:443': true,
    'box.tail.ts.net:8443': true,
    'box.tail.ts.net:10000': true,
    'astray.tail.ts.net:443': true,
  },
  Web: {
    'box.tail.ts.net:443': { Handlers: { '/': { Proxy: 'http://127.0.0.1:18790' } } },
    'box.tail.ts.net:8443': { Handlers: { '/': { Proxy: 'http://127.0.0.1:3000' } } },
    'box.tail.ts.net:10000': {
      Handlers: { '/hooks': { Proxy: 'http://127.0.0.1:18790/hooks' } },
    },
    'astray.tail.ts.net:443': { Handlers: { '/hooks': { Proxy: 'http://127.0.0.1:18790' } } },
    'inside.tail.ts.net:443': { Handlers: { '/': { Proxy: 'http://127.0.0.1:18790' } } },
  },
};

function saying(body: unknown): ScriptedServer {
  const headers = { 'content-type': 'application/json' };
  return new ScriptedServer(() => ({ status: 200, headers, chunks: [JSON.stringify(body)] }));
}

it('finds the tunnels that lead here, and no others', async () => {
  using dir = new ConfigDirectory();
  const tailscale = join(dir.path, 'tailscale');
  writeFileSync(
    tailscale,
    `#!/bin/sh\n[ "$*" = "funnel status --json" ] && echo '${JSON.stringify(FUNNEL)}'\n`,
  );
  chmodSync(tailscale, 0o755);
  const ngrok = saying(NGROK);
  const quick = saying({ hostname: 'three-words.trycloudflare.com' });
  const named = saying({ hostname: '' });
  await Promise.all([ngrok, quick, named].map((one) => one.listen()));
  const places = {
    ngrok: ngrok.origin,
    cloudflared: [quick.origin, named.origin],
    tailscale,
    // However busy the machine is.
    timeoutMs: 60_000,
  };
  expect(await findTunnels(18_790, places)).toEqual([
    { url: 'https://ab12.ngrok-free.app', by: 'ngrok' },
    { url: 'https://three-words.trycloudflare.com', by: 'cloudflared' },
    { url: 'https://box.tail.ts.net', by: 'Tailscale' },
    { url: 'https://box.tail.ts.net:10000', by: 'Tailscale' },
  ]);
  await Promise.all([ngrok, quick, named].map((one) => one.close()));
  // Nobody listens there any more, as on most machines.
  expect(await findTunnels(18_790, { ...places, tailscale: 'no-such-program' })).toEqual([]);
});
