import { webhook } from '../../src/channels.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { ScriptedServer } from '../support/scripted-server.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('A callback: the reply goes to a server that the operator configured (docs/http-api.md)', () => {
  let configured: ScriptedServer;
  let foreign: ScriptedServer;
  let hooks: Hooks;

  beforeEach(async () => {
    [configured, foreign] = [0, 1].map(
      () => new ScriptedServer(() => ({ status: 204, headers: {}, chunks: [] })),
    ) as [ScriptedServer, ScriptedServer];
    await Promise.all([configured.listen(), foreign.listen()]);
    const options = { url: `${configured.origin}/replies`, secrets: [SECRET], allowPrivate: true };
    hooks = await Hooks.start({
      channels: { chan_3: { provider: webhook(options), to: 'nobody in particular' } },
      mappings: [{ id: 'asks', messageTemplate: '{{ text }}', channel: 'chan_3', to: '{{ to }}' }],
    });
  });
  afterEach(async () => {
    await hooks.close();
    await Promise.all([configured.close(), foreign.close()]);
  });

  it.each(['agent', 'asks'])('and to no address of the request: %s', async (path) => {
    const evil = `${foreign.origin}/steal`;
    const body = {
      message: 'go',
      text: 'go',
      channel: 'chan_3',
      to: evil,
      url: evil,
      callbackUrl: evil,
      callback: { url: evil },
    };
    const headers = { 'x-callback-url': evil, 'x-forwarded-host': new URL(evil).host };
    const { status, runId } = await hooks.ask(`/${path}?callback=${evil}`, body, headers);
    expect(status).toBe(200);
    const [request] = await eventually('it is posted', () => {
      return configured.requests.length > 0 && configured.requests;
    });
    expect(request).toMatchObject({
      method: 'POST',
      path: '/replies',
      body: { type: 'message', to: evil, text: 'the reply' },
    });
    await eventually(
      'the run has ended',
      async () => (await hooks.run(runId))['run'] === 'succeeded',
    );
    expect(configured.requests).toHaveLength(1);
    expect(foreign.requests).toEqual([]);
  });
});
