import { WorkRoom } from '../../../test/support/work-room.ts';
import type { DeliverOrder } from '../ports/index.ts';

const SESSION = 'agent:main:main';

function find(room: WorkRoom, order: Partial<DeliverOrder> = {}) {
  return room.addressing.find({ channel: 'last', toFrom: 'named', ...order }, SESSION);
}

function routed(): WorkRoom {
  const room = new WorkRoom();
  const { provider } = { provider: room.channel };
  const both = new WorkRoom({}, { chan_1: { provider, to: '+1' }, chan_2: { provider } });
  both.conversations.last = { channel: 'chan_2', to: 'chat-9' };
  both.conversations.byChannel = { chan_1: '+7', chan_3: 'c3' };
  return both;
}

describe('Addressing: channel (spec "Mapping entry" 3, behaviour §12)', () => {
  it('last is the channel of the last route', async () => {
    expect(await find(routed())).toEqual({ channel: 'chan_2', to: 'chat-9' });
  });

  it('last without a last route is chan_1', async () => {
    expect(await find(new WorkRoom())).toEqual({ channel: 'chan_1', to: '+1' });
  });

  it('a named channel stays, whether or not it has a provider', async () => {
    expect(await find(routed(), { channel: 'chan_4', to: 'x' })).toEqual({
      channel: 'chan_4',
      to: 'x',
    });
  });

  it('nobody named one and none is configured: nowhere', async () => {
    expect(await find(new WorkRoom({}, {}))).toBeNull();
    expect(await find(new WorkRoom({}, {}), { channel: 'chan_1' })).toEqual({
      channel: 'chan_1',
      to: null,
    });
  });
});

describe('Addressing: recipient, the first that is known (behaviour §5)', () => {
  it('the one that was given', async () => {
    expect(await find(routed(), { channel: 'chan_1', to: '+49' })).toMatchObject({ to: '+49' });
  });

  it('else the last recipient of that channel in the main session', async () => {
    expect(await find(routed(), { channel: 'chan_1' })).toMatchObject({ to: '+7' });
  });

  it('else channels.<id>.to, even when the last route is of that channel', async () => {
    const room = new WorkRoom();
    room.conversations.last = { channel: 'chan_1', to: '+9' };
    expect(await find(room)).toMatchObject({ to: '+1' });
  });

  it('else the recipient of the last route, for last only', async () => {
    expect(await find(routed())).toMatchObject({ to: 'chat-9' });
    expect(await find(routed(), { channel: 'chan_2' })).toMatchObject({ to: null });
  });
});
