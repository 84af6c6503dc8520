import { Hooks } from '../support/hooks.ts';
import { ManualClock } from '../support/clocks.ts';
import type { Script } from '../support/scripted-server.ts';
import { ToolRoom } from '../support/tool-turn.ts';

const CALL = {
  tool: 'desk_echo',
  input: '{"text":"hi"}',
  outcome: 'succeeded',
  result: 'echo: hi',
};

const TIMEOUT_SECONDS = 600;

async function detailsOf(then: Script) {
  await using room = await ToolRoom.open();
  const clock = new ManualClock();
  const tools = { mcp: { desk: room.program() }, untrusted: ['desk_echo'] };
  const hooks = await Hooks.start({
    clock,
    runner: room.runner,
    agents: { list: [{ id: 'main', tools }], defaults: { model: 'local/llama3' } },
  });
  room.calls('desk_echo', { text: 'hi' });
  room.model.next({}, then);
  const ask = {
    message: 'Look it up.',
    wakeMode: 'next-heartbeat',
    timeoutSeconds: TIMEOUT_SECONDS,
  };
  const { eventId } = await hooks.ask('/agent', ask);
  await room.model.request(2);
  if (then.stall !== undefined) clock.advance(TIMEOUT_SECONDS * 1000);
  const details = await hooks.ended(eventId);
  await hooks.close();
  return details;
}

describe('the event details of a run that had used a tool (issue 4.3)', () => {
  it('and then failed lists the calls, and nothing is begun again', async () => {
    const { runs, summary } = await detailsOf({ status: 503, body: '' });
    expect(runs).toMatchObject([{ status: 'failed', attempts: 1, toolCalls: [CALL] }]);
    expect(summary).toContain('tools were used already: desk_echo');
  });

  it('and then reached its deadline lists the calls', async () => {
    const { runs } = await detailsOf({ stall: 'at-once' });
    expect(runs).toMatchObject([{ status: 'timed-out', attempts: 1, toolCalls: [CALL] }]);
  });
});
