import { WorkRoom, only, runLease, systemEvent } from '../../../test/support/work-room.ts';
import type { DeliverOrder } from '../ports/index.ts';

async function messageOf(deliver: DeliverOrder, room = new WorkRoom()) {
  const { changes } = await room.run.perform(runLease({ deliver }), room.stop.signal);
  const work = only(changes, 'work').find(({ work: { kind } }) => kind === 'delivery')?.work;
  return {
    work,
    order: work?.order,
    story: only(changes, 'delivery')[0],
  };
}

describe('Outbox (behaviour §5, §12)', () => {
  it('channels of one account are one line per recipient', async () => {
    const { channel } = new WorkRoom();
    const other = new WorkRoom().channel;
    const bindings = {
      chan_2: { provider: channel },
      chan_3: { provider: other },
      chan_5: { provider: channel },
    };
    const keyOf = async (id: 'chan_2' | 'chan_3' | 'chan_5') => {
      const deliver = { channel: id, to: '+49', toFrom: 'named' } as const;
      return (await messageOf(deliver, new WorkRoom({}, bindings))).work?.key;
    };
    expect(await keyOf('chan_5')).toBe('chan_2 +49');
    expect(await keyOf('chan_2')).toBe('chan_2 +49');
    expect(await keyOf('chan_3')).toBe('chan_3 +49');
  });

  it('queues the message by channel and recipient and begins its story as pending', async () => {
    const { work, order, story } = await messageOf({
      channel: 'chan_1',
      to: '+49',
      toFrom: 'named',
    });
    expect(work).toMatchObject({
      lane: 'delivery',
      key: 'chan_1 +49',
      ref: story?.id,
      eventId: 'event-1',
    });
    expect(order).toMatchObject({
      deliveryId: story?.id,
      text: 'the reply',
      runId: 'run-1',
      agentId: 'main',
      name: 'CI',
    });
    expect(story).toMatchObject({
      runId: 'run-1',
      channel: 'chan_1',
      to: '+49',
      status: 'pending',
    });
  });

  it.each([
    ['named', true],
    ['content', false],
  ] as const)(
    'a recipient from %s becomes the last route: %s',
    async (toFrom, becomesLastRoute) => {
      const { order } = await messageOf({ channel: 'chan_1', to: '+49', toFrom });
      expect(order).toMatchObject({ becomesLastRoute });
    },
  );

  it('carries whether the mapping allows links', async () => {
    const to = { channel: 'chan_1', to: '+49', toFrom: 'named' } as const;
    expect((await messageOf({ ...to, allowLinks: true })).order).toMatchObject({
      allowLinks: true,
    });
    expect((await messageOf(to)).order).not.toHaveProperty('allowLinks');
  });

  it('a trusted run that was shown a foreign line in its session gives an untrusted reply', async () => {
    const room = new WorkRoom();
    room.conversations.pending = [systemEvent(1, 'a foreign line')];
    const order = {
      deliver: { channel: 'chan_1', toFrom: 'named' },
      trust: { level: 'trusted', verifiedBy: 'token' },
    } as const;
    for (const [sessionMode, level] of [
      ['persistent', 'untrusted'],
      ['isolated', 'trusted'],
    ] as const) {
      const session = 'agent:main:main';
      const lease = runLease({ ...order, sessionMode, session });
      const { changes } = await room.run.perform(lease, room.stop.signal);
      const [message] = only(changes, 'work').filter(({ work }) => work.kind === 'delivery');
      expect(message?.work.order).toMatchObject({ trust: { level } });
    }
  });

  it('is skipped when no channel is configured anywhere', async () => {
    const { work, story } = await messageOf(
      { channel: 'last', toFrom: 'named' },
      new WorkRoom({}, {}),
    );
    expect(work).toBeUndefined();
    expect(story).toMatchObject({ status: 'skipped', error: 'no channel is configured', to: null });
  });

  it('a named channel without a provider is left to the delivery, which says why it fails', async () => {
    const { work } = await messageOf(
      { channel: 'chan_4', to: 'x', toFrom: 'named' },
      new WorkRoom({}, {}),
    );
    expect(work?.key).toBe('chan_4 x');
  });
});
