import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openHttp } from './http-stream.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function served(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('openHttp', () => {
  it('hands out each piece as it comes', async () => {
    const url = await served((_, response) => {
      response.writeHead(200, { 'x-a': 'b' });
      response.write('one');
      response.on('close', () => {});
    });
    const { status, headers, body } = await openHttp(url);
    expect([status, headers.get('x-a')]).toEqual([200, 'b']);
    for await (const piece of body) {
      expect(Buffer.from(piece).toString()).toBe('one');
      break;
    }
    await eventuallyClosed();
  });

  it('says when nothing comes any more', async () => {
    const url = await served((_, response) => response.writeHead(200).write('one'));
    // Only the waiting between two pieces stands still, whatever the network takes.
    const timer = { unref: () => timer } as NodeJS.Timeout;
    const wait = jest.spyOn(globalThis, 'setTimeout').mockReturnValue(timer);
    const { body } = await openHttp(url, { timeoutMs: 20 });
    const pieces = body[Symbol.asyncIterator]();
    const first = await pieces.next();
    expect(Buffer.from(first.value ?? '').toString()).toBe('one');
    const next = pieces.next();
    const [isOver, ms] = wait.mock.lastCall ?? [];
    wait.mockRestore();
    expect(ms).toBe(20);
    isOver?.();
    await expect(next).rejects.toMatchObject({ kind: 'timed-out' });
  });

  it('says when it breaks off, and when nobody is there', async () => {
    const url = await served((_, response) => {
      response.writeHead(200, { 'content-length': '9' });
      response.write('one', () => response.destroy());
    });
    const { body } = await openHttp(url);
    const reading = (async () => {
      for await (const piece of body) expect(piece.length).toBe(3);
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'broken' });
    server!.close();
    await once(server!, 'close');
    await expect(openHttp(url)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('ends with its signal', async () => {
    const url = await served((_, response) => response.writeHead(200).write('one'));
    const stop = new AbortController();
    const { body } = await openHttp(url, { signal: stop.signal });
    const reading = (async () => {
      for await (const piece of body) stop.abort(new Error(`enough: ${piece.length}`));
    })();
    await expect(reading).rejects.toThrow('enough: 3');
  });
});

async function eventuallyClosed(): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      server!.getConnections((_, count) => (count === 0 ? resolve() : setImmediate(look)));
    };
    look();
  });
}
