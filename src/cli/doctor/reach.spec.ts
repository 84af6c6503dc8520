import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { Server } from 'node:net';
import { once } from 'node:events';
import { channelAddresses, modelAddresses } from '../../service/index.ts';
import type { Question } from '../../service/index.ts';
import { askMistake, reach } from './reach.ts';

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

describe('a question about settings', () => {
  type Answers = (path: string, authorization: string | undefined) => [number, object];

  async function mistakeAt(answers: Answers, questionAt: (origin: string) => Question | undefined) {
    const server = createServer(({ url = '', headers }, response) => {
      const [status, body] = answers(url, headers.authorization);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const question = questionAt(`http://127.0.0.1:${await portOf(server)}`);
    const mistake = question && (await askMistake(question));
    server.close();
    return question === undefined ? 'no question' : mistake;
  }

  const wrong = { what: 'the platform does not know its token', fix: expect.any(String) };

  it.each<[string, string, Answers]>([
    [
      'chan_2',
      'getMe',
      (path) => [path === '/bot1:RIGHT/getMe' ? 200 : 404, { ok: path.includes('RIGHT') }],
    ],
    [
      'chan_3',
      'users/@me',
      (path, auth) => [path === '/v10/users/@me' && auth === 'Bot 1:RIGHT' ? 200 : 401, {}],
    ],
    [
      'chan_4',
      'auth.test',
      (path, auth) => [200, { ok: path === '/auth.test' && auth === 'Bearer 1:RIGHT' }],
    ],
    [
      'chan_5',
      'users/me',
      (path, auth) => [path === '/api/v4/users/me' && auth === 'Bearer 1:RIGHT' ? 200 : 401, {}],
    ],
  ])('%s (%s): tells a wrong token', async (id, _, answers) => {
    const ask = (token: string) =>
      mistakeAt(answers, (apiRoot) => channelAddresses({ [id]: { token, apiRoot } })[0]?.question);
    expect(await ask('1:RIGHT')).toBeNull();
    expect(await ask('1:WRONG')).toEqual(wrong);
  });

  it.each<[number]>([[429], [500], [503]])('%d says nothing about the token', async (status) => {
    const found = await mistakeAt(
      () => [status, { ok: false }],
      (apiRoot) => channelAddresses({ chan_2: { token: '1:A', apiRoot } })[0]?.question,
    );
    expect(found).toBeNull();
  });

  it('takes a token nowhere else: a redirect is not followed', async () => {
    const elsewhere: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      elsewhere.push(request.url);
      response.end('{"ok":false}');
    });
    const location = `http://127.0.0.1:${await portOf(other)}/`;
    const server = createServer((_, response) => response.writeHead(302, { location }).end());
    const apiRoot = `http://127.0.0.1:${await portOf(server)}`;
    const question = channelAddresses({ chan_3: { token: '1:SECRET', apiRoot } })[0]?.question;
    expect(question && (await askMistake(question))).toBeNull();
    expect(elsewhere).toEqual([]);
    server.close();
    other.close();
  });

  it('tells a base URL without /v1', async () => {
    const answers: Answers = (path) => [path === '/v1/models' ? 200 : 404, {}];
    const at = (path: string) =>
      mistakeAt(answers, (origin) => {
        const providers = new Map([
          ['local', { type: 'openai-compatible', baseUrl: `${origin}${path}` }],
        ]);
        const resolved = {
          agents: { defaults: { runner: { type: 'demo' } }, list: [] },
          models: { providers },
        };
        return modelAddresses(resolved as never)[0]?.question;
      });
    expect(await at('/v1')).toBeNull();
    expect(await at('')).toMatchObject({ fix: expect.stringContaining('/v1') });
  });
});
