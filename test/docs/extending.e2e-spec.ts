import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Hooks } from '../support/hooks.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import { AskingRunner } from './asking.runner.ts';
import { SignedPostChannel } from './signed-post.channel.ts';

const SECRET = 'the-receiver-knows-it-too';
const CREATED = { status: 201, headers: { 'x-message-id': 'm-1' }, chunks: [] };

describe('docs/extending.md, "a channel of your own"', () => {
  it('shows the channel that is tested here', async () => {
    const here = await readFile(new URL('./signed-post.channel.ts', import.meta.url), 'utf8');
    const docs = await readFile(new URL('../../docs/extending.md', import.meta.url), 'utf8');
    expect(docs).toContain(here.replaceAll('../../src/channels.ts', 'nestjs-agent-hooks/channels'));
  });

  it('delivers a reply, signed, and again after the receiver was down', async () => {
    const receiver = new ScriptedServer(() => CREATED);
    await receiver.listen();
    receiver.next({ status: 503 });
    const provider = new SignedPostChannel(`${receiver.origin}/messages`, SECRET);
    const hooks = await Hooks.start({ channels: { chan_5: { provider, to: 'on-call' } } });
    const { eventId } = await hooks.ask('/agent', {
      message: 'Who is on call?',
      channel: 'chan_5',
    });
    const details = await hooks.ended(eventId);
    expect(details.deliveries).toMatchObject([
      {
        status: 'delivered',
        to: 'on-call',
        messageId: 'm-1',
        attempts: [{ outcome: 'retry' }, {}],
      },
    ]);
    const [first, second] = receiver.requests;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toEqual({ to: 'on-call', text: 'the reply' });
    const signature = createHmac('sha256', SECRET).update(JSON.stringify(second?.body));
    expect(second?.headers['x-signature']).toBe(`sha256=${signature.digest('hex')}`);
    await hooks.close();
    await receiver.close();
  });

  it('refuses a recipient that is none, without a request', async () => {
    const provider = new SignedPostChannel('http://127.0.0.1:1/', SECRET);
    const hooks = await Hooks.start({ channels: { chan_5: { provider } } });
    const request = { message: 'Hello', channel: 'chan_5', to: '+49 170' };
    const { deliveries } = await hooks.ended((await hooks.ask('/agent', request)).eventId);
    const error =
      '"+49 170" is no recipient of signed-post; expected the name of a team, such as on-call';
    expect(deliveries).toMatchObject([{ status: 'dead', error }]);
    await hooks.close();
  });
});

describe('docs/extending.md, "an agent runner"', () => {
  it('shows the runner that is tested here', async () => {
    const here = await readFile(new URL('./asking.runner.ts', import.meta.url), 'utf8');
    const docs = await readFile(new URL('../../docs/extending.md', import.meta.url), 'utf8');
    expect(docs).toContain(here.replaceAll('../../src/agents.ts', 'nestjs-agent-hooks/agents'));
  });

  it('answers, and says why it could not', async () => {
    const texts = ['Ann is.'];
    const server = new ScriptedServer(() => ({
      status: 200,
      headers: {},
      chunks: [texts.shift() ?? 'HEARTBEAT_OK'],
    }));
    await server.listen();
    const hooks = await Hooks.start({ runner: new AskingRunner(server.origin) });
    const first = await hooks.ask('/agent', { message: 'Who is on call?', deliver: false });
    const answered = await hooks.ended(first.eventId);
    expect(answered.runs).toMatchObject([{ status: 'succeeded', reply: 'Ann is.' }]);
    expect(server.requests[0]?.body).toEqual({
      prompt: expect.stringContaining('Who is on call?'),
    });
    server.meanwhile = { status: 500 };
    const second = await hooks.ask('/agent', { message: 'And tomorrow?', deliver: false });
    const failed = await hooks.ended(second.eventId);
    expect(failed.runs).toMatchObject([{ status: 'failed', error: 'the server answered 500' }]);
    await hooks.close();
    await server.close();
  });
});
