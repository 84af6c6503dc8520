import { HOOK_TOKEN, OPERATOR_TOKEN } from '../faults/tested-service.ts';
import type { TestedService } from '../faults/tested-service.ts';
import { World } from '../faults/world.ts';
import { atLast, eventually } from '../support/eventually.ts';
import { openaiCompatible } from '../support/protocols/index.ts';
import { ProtocolServer } from '../support/protocol-server.ts';
import { OtlpReceiver } from './otlp-receiver.ts';
import { PostgresSuite } from './suite.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDER = '00f067aa0ba902b7';
const EXPORTER = new URL('./otlp-exporter.ts', import.meta.url).href;
const TOOLS = `${import.meta.dirname}/../support/mcp/program.ts`;

const suite = PostgresSuite.inThisFile();

describe('The trace of an event, over three services', () => {
  let collector: OtlpReceiver;
  let model: ProtocolServer;
  let world: World;

  beforeAll(async () => {
    collector = await OtlpReceiver.start();
    model = await ProtocolServer.start(openaiCompatible);
    const desk = { command: process.execPath, args: [TOOLS] };
    world = await World.open({
      store: { postgres: { url: suite.server.url() } },
      models: { providers: { local: model.provider('no-secret') } },
      agents: {
        defaults: {
          model: 'local/test',
          heartbeat: { every: '0m' },
          notify: false,
          approve: 'run',
        },
        list: [{ id: 'main', tools: { mcp: { desk }, untrusted: ['desk_echo'] } }],
      },
    });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await model.close();
    await collector.close();
  });

  async function approve(service: TestedService): Promise<void> {
    const { waits } = (await service.read('/ops/api/waits')) as { waits: { id: string }[] };
    const { status } = await fetch(`${service.url}/ops/api/waits/${waits[0]?.id}/decide`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ verdict: 'approved' }),
    });
    expect(status).toBe(200);
  }

  it('is one: accepted by the first, run by the second, which is killed as it delivers, delivered by the third', async () => {
    const start = (name: string) =>
      world.start({
        env: {
          NODE_OPTIONS: `--import=${EXPORTER}`,
          OTLP_ENDPOINT: `${collector.origin}/v1/traces`,
          OTLP_INSTANCE: name,
        },
      });
    await using first = await start('first');
    const received = (name: string) => collector.trace(TRACE).findLast((one) => one.name === name);
    model.answer(openaiCompatible.toolCall('desk_echo', { text: 'the secret words' }));
    // The platform has it, and does not say so.
    world.chats.next({ stall: 'at-once' });
    const answer = await fetch(`${first.url}/hooks/agent`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${HOOK_TOKEN}`,
        'content-type': 'application/json',
        traceparent: `00-${TRACE}-${SENDER}-01`,
      },
      body: JSON.stringify({
        message: 'the secret words',
        sessionKey: 'faults:trace',
        channel: 'chan_2',
        wakeMode: 'next-heartbeat',
      }),
    });
    expect(answer.status).toBe(200);
    const { eventId } = (await answer.json()) as { eventId: string };
    await eventually('it waits', () => received('invoke_agent main') !== undefined);
    await first.stop();
    await using second = await start('second');
    await approve(second);
    await world.chats.request(1);
    await eventually('the run is told', () => received('invoke_agent main')?.instance === 'second');
    await second.kill();
    await using third = await start('third');
    // Leases of a service that was killed run out after twenty seconds.
    await atLast('the delivery is told', () => received('send chan_2') !== undefined);
    await atLast('all is done', async () => (await third.unfinished()) === 0);
    const names = [
      'receive agent',
      'accept',
      'invoke_agent main',
      'execute_tool echo',
      'send chan_2',
    ];
    const spans = collector.trace(TRACE);
    expect(new Set(spans.map(({ name }) => name))).toEqual(new Set(names));
    // And the attempt at the first, which found that a person is to be asked.
    expect(spans).toHaveLength(names.length + 1);
    const [receive, accept, run, tool, send] = names.map(received);
    expect([receive, accept, run, tool, send].map((span) => span?.instance)).toEqual([
      'first',
      'first',
      'second',
      'second',
      'third',
    ]);
    expect([receive, accept, run, tool, send].map((span) => span?.parentSpanId)).toEqual([
      SENDER,
      receive?.spanId,
      accept?.spanId,
      run?.spanId,
      run?.spanId,
    ]);
    expect(run?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'main',
      'gen_ai.conversation.id': 'agent:main:faults:trace',
      'hooks.event.id': eventId,
      'hooks.run.status': 'succeeded',
    });
    expect(tool?.attributes).toMatchObject({ 'gen_ai.tool.name': 'echo' });
    expect(send?.attributes).toMatchObject({
      'hooks.event.id': eventId,
      'hooks.delivery.status': 'delivered',
      'hooks.attempt': 2,
    });
    expect(JSON.stringify(spans)).not.toContain('secret');
  });
});
