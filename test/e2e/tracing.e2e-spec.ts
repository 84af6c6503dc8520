import { SpanStatusCode, context, propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentError } from '../../src/hooks/index.ts';
import { sqliteLedger } from '../../src/index.ts';
import { findTracing, traced } from '../../src/platform/tracing.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { ToolRoom } from '../support/tool-turn.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDER = '00f067aa0ba902b7';
const sent = { traceparent: `00-${TRACE}-${SENDER}-01` };
const question = { message: 'the secret words', channel: 'chan_1', sessionKey: 'hook:trace' };

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const dir = mkdtempSync(join(tmpdir(), 'hooks-trace-'));
let hooks: Hooks;

const start = async () => {
  hooks = await Hooks.start({ ledger: sqliteLedger({ dir }), allowRequestSessionKey: true });
};
const restart = async () => {
  await hooks.app.close();
  await start();
};
const acceptAndFail = async (headers: Record<string, string> = sent) => {
  hooks.runner.reply = () => Promise.reject(new AgentError('a broken stream', 'retryable'));
  const { status, eventId } = await hooks.ask('/agent', question, headers);
  expect(status).toBe(200);
  await eventually('the attempt fails', async () => {
    const { runs } = await hooks.details(eventId);
    return runs[0]?.error === 'a broken stream' && runs[0].status === 'queued';
  });
  return eventId;
};
const finish = async (eventId: unknown) => {
  hooks.runner.reply = () => 'the secret reply';
  await hooks.retry(eventId);
  expect(await hooks.ended(eventId)).toMatchObject({ status: 'done' });
};
const spans = (name: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name);
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

let untraced: { readonly spans: number; readonly headers: object; readonly run: ReadableSpan };
beforeAll(async () => {
  await start();
  const eventId = await acceptAndFail();
  const { headers } = (await hooks.details(eventId)).request;
  const { length } = exporter.getFinishedSpans();
  provider.register();
  await restart();
  await finish(eventId);
  untraced = { spans: length, headers, run: spans('invoke_agent main')[0]! };
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  await hooks.app.close();
  await provider.shutdown();
  for (const api of [context, propagation, trace]) api.disable();
  rmSync(dir, { recursive: true });
});

describe('the trace of an event', () => {
  it('is that of its sender, kept with the event where nothing is traced', () => {
    expect(untraced.spans).toBe(0);
    expect(untraced.headers).toMatchObject(sent);
    expect(untraced.run.spanContext().traceId).toBe(TRACE);
    expect(parentOf(untraced.run)).toBe(SENDER);
  });

  it('goes from its receipt over a restart to its delivery', async () => {
    const eventId = await acceptAndFail();
    await restart();
    await finish(eventId);
    const [receive] = spans('receive agent');
    const [accept] = spans('accept');
    const [failed, run] = spans('invoke_agent main');
    // What a heartbeat says goes there as well, in a trace of its own.
    const send = spans('send chan_1').find((span) => parentOf(span) === idOf(run));
    const all = [receive, accept, failed, run, send];
    expect(all.map((span) => span?.spanContext().traceId)).toEqual(all.map(() => TRACE));
    expect(all.map(parentOf)).toEqual([
      SENDER,
      idOf(receive),
      idOf(accept),
      idOf(accept),
      idOf(run),
    ]);
    expect(accept?.attributes).toMatchObject({ 'hooks.event.id': eventId });
    expect(failed).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'retry', 'hooks.attempt': 1 },
    });
    expect(run).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': 'main',
        'gen_ai.conversation.id': 'agent:main:hook:trace',
        'hooks.run.status': 'succeeded',
        'hooks.event.id': eventId,
      },
    });
    expect(send?.attributes).toMatchObject({ 'hooks.delivery.status': 'delivered' });
  });

  it('holds nothing of what was sent, said or refused', async () => {
    await finish(await acceptAndFail());
    const told = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(told.length).toBeGreaterThan(4);
    expect(JSON.stringify(told)).not.toMatch(/secret|broken stream/);
  });

  it.each(['', '00-0-0-00', `00-${TRACE.toUpperCase()}-${SENDER}-01`, '0'.repeat(9000)])(
    'is its own where the header is %.40j',
    async (traceparent) => {
      hooks.runner.reply = () => 'done';
      const { eventId } = await hooks.ask('/agent', question, { traceparent });
      await hooks.ended(eventId);
      const [receive] = spans('receive agent');
      expect(receive?.parentSpanContext).toBeUndefined();
      expect(parentOf(spans('invoke_agent main')[0])).toBe(idOf(spans('accept')[0]));
    },
  );

  it('is none of a request that was not verified', async () => {
    const { status } = await hooks.post('/agent', question, { ...sent, authorization: 'Bearer x' });
    expect(status).toBe(401);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('has a span for each use of a tool', async () => {
    await findTracing();
    await using room = await ToolRoom.open();
    room.calls('desk_echo', { text: 'the secret words' });
    room.calls('desk_fail');
    await traced({ name: 'turn' }, () => room.turn());
    const [echo] = spans('execute_tool echo');
    const [fail] = spans('execute_tool fail');
    expect([echo, fail].map(parentOf)).toEqual([idOf(spans('turn')[0]), idOf(spans('turn')[0])]);
    expect(echo?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'echo',
    });
    expect(fail).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'tool_error' },
    });
  });
});
