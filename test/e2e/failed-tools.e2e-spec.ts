import { Hooks } from '../support/hooks.ts';
import { ToolRoom } from '../support/tool-turn.ts';

describe('the story of a run that failed after it had used a tool (issue 4.3)', () => {
  it('lists the calls, and nothing is begun again', async () => {
    await using room = await ToolRoom.open();
    const tools = { mcp: { desk: room.program() }, untrusted: ['desk_echo'] };
    const hooks = await Hooks.start({
      runner: room.runner,
      agents: { list: [{ id: 'main', tools }], defaults: { model: 'local/llama3' } },
    });
    room.calls('desk_echo', { text: 'hi' });
    room.model.next({}, { status: 503, body: '' });
    const ask = { message: 'Look it up.', wakeMode: 'next-heartbeat' };
    const { eventId } = await hooks.ask('/agent', ask);
    const { runs, summary } = await hooks.ended(eventId);
    await hooks.close();
    expect(runs).toMatchObject([
      {
        status: 'failed',
        attempts: 1,
        toolCalls: [
          { tool: 'desk_echo', input: '{"text":"hi"}', outcome: 'succeeded', result: 'echo: hi' },
        ],
      },
    ]);
    expect(summary).toContain('tools were used already: desk_echo');
  });
});
