import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { Server } from 'node:net';
import { once } from 'node:events';
import { reach } from './reach.ts';

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return address.port;
}

describe('reach', () => {
  it('takes any answer, and tells the server nothing', async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    });
    const port = await portOf(server);
    expect(await reach(`http://user:secret@127.0.0.1:${port}/v1/secret?key=secret`)).toBeNull();
    expect(seen).toEqual(['HEAD / undefined']);
    server.close();
  });

  it('says why there was none', async () => {
    const server = createTcpServer();
    const port = await portOf(server);
    server.close();
    await once(server, 'close');
    expect(await reach(`http://127.0.0.1:${port}/secret`)).toBe('ECONNREFUSED');
  });

  it('says when something else than HTTP answers', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-x\r\n'));
    const port = await portOf(server);
    const why = await reach(`http://127.0.0.1:${port}/secret`);
    expect(why).not.toBeNull();
    expect(why).not.toContain('secret');
    server.close();
  });
});
