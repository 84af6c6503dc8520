import { PROTOCOLS } from '../support/protocols/index.ts';
import { REPLY } from '../support/protocol-server.ts';
import { ToolRoom } from '../support/tool-turn.ts';

const MAY = { mayWait: 'offered' } as const;
const CALL = { key: 'deployment 7', why: 'the deployment' };

describe.each(PROTOCOLS)('an agent of %s that waits for an event', (_type, protocol) => {
  it('ends its turn, and goes on with what came as the result of its call', async () => {
    await using room = await ToolRoom.open(protocol);
    room.calls('wait_for_event', CALL);
    const { text, waits, warnings } = await room.turn(MAY);
    expect({ text, key: waits?.key, question: waits?.question }).toEqual({
      text: '',
      key: 'deployment 7',
      question: 'the deployment',
    });
    expect(warnings?.join()).not.toContain('answered with nothing');
    expect(room.toolCalls).toEqual([]);
    expect(JSON.stringify((await room.model.request(1)).body)).toContain('wait_for_event');

    const event = { text: 'It is green.', content: 'green' };
    const resumed = { state: waits!.state, isApproved: true, event };
    const after = await room.turn({ ...MAY, resumed });
    expect({ text: after.text, waits: after.waits }).toEqual({ text: REPLY, waits: undefined });
    expect(JSON.stringify((await room.model.request(2)).body)).toContain('It is green.');
  });
});

describe('an agent that waits for an event', () => {
  it.each([
    [{ isApproved: true, event: null }, 'Nothing came'],
    [{ isApproved: false, reason: 'denied by ana', event: null }, 'denied by ana'],
  ])('is told that there is none: %j', async (given, told) => {
    await using room = await ToolRoom.open();
    room.calls('wait_for_event', CALL);
    const { waits } = await room.turn(MAY);
    await room.turn({ ...MAY, resumed: { state: waits!.state, ...given } });
    expect(JSON.stringify((await room.model.request(2)).body)).toContain(told);
  });

  it('may have called other tools before, which are not called again', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_environment');
    room.calls('wait_for_event', CALL);
    const { waits } = await room.turn(MAY);
    expect(waits?.key).toBe('deployment 7');
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_environment', outcome: 'succeeded' }]);
    expect(
      (await room.turn({ ...MAY, resumed: { state: waits!.state, isApproved: true } })).text,
    ).toBe(REPLY);
  });

  it('fails where it does not say for which', async () => {
    await using room = await ToolRoom.open();
    room.calls('wait_for_event', { key: ' ' });
    await expect(room.turn(MAY)).rejects.toMatchObject({ kind: 'permanent' });
  });

  it('has no such tool where its operator named no event', async () => {
    await using room = await ToolRoom.open();
    room.calls('wait_for_event', CALL);
    const { text, waits } = await room.turn({ mayWait: 'yes' });
    expect({ text, waits }).toEqual({ text: REPLY, waits: undefined });
    expect(JSON.stringify((await room.model.request(1)).body)).not.toContain('wait_for_event');
    expect(room.toolCalls).toMatchObject([{ tool: 'wait_for_event', outcome: 'refused' }]);
  });
});
