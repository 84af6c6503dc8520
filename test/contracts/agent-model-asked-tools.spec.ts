import { PROTOCOLS } from '../support/protocols/index.ts';
import { REPLY } from '../support/protocol-server.ts';
import { ToolRoom } from '../support/tool-turn.ts';

const ASKS = { tools: ['desk_*'], canWait: true };

async function pausedIn(room: ToolRoom): Promise<string> {
  room.calls('desk_echo', { text: 'hi' });
  const { asks } = await room.turn({ asks: ASKS });
  return asks!.state;
}

describe.each(PROTOCOLS)('a tool call of %s that a person decides about', (_type, protocol) => {
  it('is shown whole, and not made before', async () => {
    await using room = await ToolRoom.open(protocol);
    room.calls('desk_echo', { text: 'x'.repeat(5000) });
    const { text, asks, warnings } = await room.turn({ asks: ASKS });
    expect(text).toBe('');
    expect(asks?.calls).toEqual([
      { tool: 'desk_echo', input: JSON.stringify({ text: 'x'.repeat(5000) }) },
    ]);
    expect(warnings?.join()).not.toContain('answered with nothing');
    expect(room.toolCalls).toEqual([]);
    expect(room.model.requests).toHaveLength(1);
  });

  it('is made once it is approved, and its result goes back to the model', async () => {
    await using room = await ToolRoom.open(protocol);
    const state = await pausedIn(room);
    const { text, asks } = await room.turn({ asks: ASKS, resumed: { state, isApproved: true } });
    expect({ text, asks }).toEqual({ text: REPLY, asks: undefined });
    expect(room.toolCalls).toMatchObject([
      { tool: 'desk_echo', input: '{"text":"hi"}', outcome: 'succeeded', result: 'echo: hi' },
    ]);
    expect(room.model.requests).toHaveLength(2);
    expect(JSON.stringify((await room.model.request(2)).body)).toContain('echo: hi');
  });

  it('is not made when it is denied, and the model is told why', async () => {
    await using room = await ToolRoom.open(protocol);
    const state = await pausedIn(room);
    const resumed = { state, isApproved: false, reason: 'denied by ana: not on a Friday' };
    expect((await room.turn({ asks: ASKS, resumed })).text).toBe(REPLY);
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_echo', outcome: 'refused' }]);
    const told = JSON.stringify((await room.model.request(2)).body);
    expect(told).toContain('not on a Friday');
    expect(told).not.toContain('echo: hi');
  });
});

describe('a tool call that a person decides about', () => {
  it('is asked about again where another workspace would be its place by then', async () => {
    await using room = await ToolRoom.withProgram();
    const state = await pausedIn(room);
    const workspace = room.file('elsewhere');
    const again = await room.turn({ workspace, asks: ASKS, resumed: { state, isApproved: true } });
    expect(again.asks?.calls).toEqual([{ tool: 'desk_echo', input: '{"text":"hi"}' }]);
    expect(room.toolCalls).toEqual([]);
    expect(room.model.requests).toHaveLength(1);
    const resumed = { state: again.asks!.state, isApproved: true };
    expect((await room.turn({ workspace, asks: ASKS, resumed })).text).toBe(REPLY);
    expect(room.toolCalls).toMatchObject([{ result: 'echo: hi' }]);
  });

  it('fails where its tool is not offered any more', async () => {
    await using room = await ToolRoom.open();
    const state = await pausedIn(room);
    const resumed = { state, isApproved: true };
    await expect(room.turn({ mcp: {}, asks: ASKS, resumed })).rejects.toMatchObject({
      kind: 'needs-operator',
      message: 'the tool desk_echo that was approved is not offered any more',
    });
    expect(room.model.requests).toHaveLength(1);
  });

  it('is refused where nobody can be asked', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_echo', { text: 'hi' });
    const { text, asks } = await room.turn({ asks: { ...ASKS, canWait: false } });
    expect({ text, asks }).toEqual({ text: REPLY, asks: undefined });
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_echo', outcome: 'refused' }]);
    const told = JSON.stringify((await room.model.request(2)).body);
    expect(told).toContain('nobody can be asked in this turn');
  });

  it('is made at once where its name is none of those', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_echo', { text: 'hi' });
    const asks = { tools: ['desk', 'desk_ech', 'other_*', 'esk_echo'], canWait: true };
    expect((await room.turn({ asks })).text).toBe(REPLY);
    expect(room.toolCalls).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('may come after others, which are not made again', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_environment');
    room.calls('desk_echo', { text: 'hi' });
    const asks = { tools: ['desk_echo'], canWait: true };
    const paused = await room.turn({ asks });
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_environment', outcome: 'succeeded' }]);
    await room.turn({ asks, resumed: { state: paused.asks!.state, isApproved: true } });
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_echo', outcome: 'succeeded' }]);
  });
});
