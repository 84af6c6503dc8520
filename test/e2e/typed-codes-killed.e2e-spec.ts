import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import type { PlatformServer } from '../support/platforms/index.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { serverOf, typedWhatsapp } from '../support/typed-platforms.ts';

const TOKEN = 'the-hook-token-of-this-test';
const SECRET = 'the-app-secret-of-this-test';
const CUSTOMER = '+491711111111';
const WRONG = 'This code decides nothing';
const { ana, to, speech } = typedWhatsapp;

describe('a service that is killed between a question and its code', () => {
  let server: PlatformServer;
  let dir: ConfigDirectory;

  beforeEach(async () => {
    server = await serverOf(typedWhatsapp);
    const verify = { ...typedWhatsapp.verify(SECRET), verifyToken: 'ours' };
    dir = new ConfigDirectory().write('gateway.json5', {
      hooks: {
        enabled: true,
        token: TOKEN,
        mappings: [{ id: 'whatsapp', match: { path: 'whatsapp' }, verify, action: 'ignore' }],
      },
      agents: {
        defaults: {
          runner: { type: 'demo' },
          heartbeat: { every: '0m' },
          approve: { reply: true, approvers: [ana] },
          notify: { channel: 'chan_1', to },
        },
      },
      channels: { chan_1: speech.settings(server.origin) },
    });
  });
  afterEach(async () => {
    await server.close();
    dir[Symbol.dispose]();
  });

  const start = () => ServiceProcess.listening(dir.path);
  const codes = () =>
    server.shown.flatMap(({ text }) => /approve (\d{4}-\d{4})/.exec(text)?.[1] ?? []);
  const replies = () => server.shown.filter((shown) => shown.to === CUSTOMER.slice(1));
  const told = (words: string) => server.shown.filter(({ text }) => text.includes(words)).length;

  /** The code of its question. */
  async function asked(service: ServiceProcess, n = 1): Promise<string> {
    const body = {
      message: 'what was asked',
      wakeMode: 'next-heartbeat',
      channel: 'chan_1',
      to: CUSTOMER,
    };
    await service.ask('/hooks/agent', { token: TOKEN, body });
    return eventually('the operator is asked', () => codes()[n - 1]);
  }
  async function say(service: ServiceProcess, text: string): Promise<void> {
    const { headers, body } = typedWhatsapp.tell(SECRET, ana, text);
    const answer = await fetch(`${service.url}/hooks/whatsapp`, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
  }
  async function kill(service: ServiceProcess): Promise<void> {
    service.signal('SIGKILL');
    await service.ended();
  }

  it('decides by the code when it is back, once', async () => {
    const killed = await start();
    const code = await asked(killed);
    await kill(killed);
    await using next = await start();
    await say(next, `approve ${code}`);
    await eventually('the reply is sent', () => replies().length > 0);
    await say(next, `deny ${code}`);
    await eventually('that is told', () => told('You have approved this.') > 0);
    expect(replies()).toHaveLength(1);
  });

  it('has not forgotten five wrong codes that it answered', async () => {
    const killed = await start();
    const code = await asked(killed);
    const wrong = code === '0000-0000' ? '1111-1111' : '0000-0000';
    for (let n = 1; n <= 5; n += 1) await say(killed, `approve ${wrong}`);
    await kill(killed);
    await using next = await start();
    // Who dies may have told nobody of the last one.
    const before = told(WRONG);
    await say(next, `approve ${code}`);
    await eventually('it decides nothing', () => told(WRONG) === before + 1);
    const other = await asked(next, 2);
    await say(next, `approve ${other}`);
    await eventually('the other reply is sent', () => replies().length > 0);
    await say(next, `approve ${code}`);
    await eventually('it decides nothing still', () => told(WRONG) === before + 2);
    expect(replies()).toHaveLength(1);
  });
});
