import { ScriptedServer } from '../../../test/support/scripted-server.ts';
import type { Answer } from '../../../test/support/scripted-server.ts';
import { followEvents } from './event-stream.ts';
import type { ToldEvents } from './event-stream.ts';

const TYPE = { 'content-type': 'text/event-stream; charset=utf-8' };
const EVENT = { id: 'e1', hook: 'wake', status: 'done', headline: 'ä: b' };

let server: ScriptedServer;
let scripted: Answer;
beforeEach(async () => {
  server = new ScriptedServer(() => scripted);
  await server.listen();
});
afterEach(() => server.close());

async function followed(answer: Answer): Promise<{ told: ToldEvents[]; end: unknown }> {
  scripted = answer;
  const told: ToldEvents[] = [];
  try {
    const place = { url: new URL(server.origin) };
    for await (const one of followEvents(place, { 'last-event-id': 'm1' }, undefined)) {
      told.push(one);
    }
    return { told, end: 'over' };
  } catch (error) {
    return { told, end: error };
  }
}

function message(mark: string, data: unknown): string {
  return `id: ${mark}\nevent: events\ndata: ${JSON.stringify(data)}\n\n`;
}

describe('followEvents', () => {
  it('reads messages however they are cut, and nothing else', async () => {
    const one = message('m2', { events: [EVENT], more: 3 });
    const chunks = `:\n\n${one}event: refusals\ndata: {}\n\n:\n\n`.split('');
    const { told, end } = await followed({ status: 200, headers: TYPE, chunks });
    expect({ told, end }).toEqual({
      told: [{ events: [EVENT], more: 3, mark: 'm2' }],
      end: 'over',
    });
    expect(server.requests).toMatchObject([
      { path: '/ops/api/events/stream', headers: { 'last-event-id': 'm1' } },
    ]);
  });

  it('says what the service refused', async () => {
    const body = { ok: false, error: 'Close one of the 20.', code: 'too_many_streams' };
    const chunks = [JSON.stringify(body)];
    const { end } = await followed({ status: 503, headers: {}, chunks });
    expect(end).toMatchObject({ status: 503, code: 'too_many_streams' });
  });

  it.each<[string, Answer]>([
    ['a page', { status: 200, headers: { 'content-type': 'text/html' }, chunks: ['<h1>Hi'] }],
    ['JSON', { status: 200, headers: {}, chunks: ['{"events":[]}'] }],
    ['a message of something else', { status: 200, headers: TYPE, chunks: [message('m', 7)] }],
    [
      'events that are none',
      { status: 200, headers: TYPE, chunks: [message('m', { events: [7], more: 0 })] },
    ],
    [
      'a message without an end',
      { status: 200, headers: TYPE, chunks: ['data: ', 'x'.repeat(2 * 1024 * 1024)] },
    ],
  ])('takes %s for a stranger', async (_, script) => {
    expect(await followed(script)).toMatchObject({ told: [], end: { reason: 'STRANGER' } });
  });

  it('tells a redirect from the service', async () => {
    const headers = { location: 'http://127.0.0.1:9/' };
    const { end } = await followed({ status: 302, headers, chunks: [] });
    expect(end).toMatchObject({ reason: 'REDIRECT' });
  });
});
