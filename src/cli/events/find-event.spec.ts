import { eventDetails } from '../../../test/support/event-details.ts';
import type { EventsAsked } from '../service/service-client.ts';
import { findEventId } from './find-event.ts';

const A = '01a1ff3d-f048-76c2-8166-ec88c6c9d5de';
const B = '01a1ff3d-f048-76c3-9166-ec88c6c9d5de';
const C = '01a1ff3d-f049-7000-9166-ec88c6c9d5de';

class Listed {
  readonly asked: EventsAsked[] = [];

  constructor(
    private readonly ids: readonly string[],
    private readonly nextCursor: string | null = null,
  ) {}

  async events(asked: EventsAsked) {
    this.asked.push(asked);
    const events = this.ids.slice(0, asked.limit).map((id) => eventDetails({ id }));
    return { events, nextCursor: this.nextCursor };
  }
}

describe('findEventId', () => {
  it('asks for nothing where the id is whole, or can be none', async () => {
    const service = new Listed([A]);
    for (const text of [A, 'nope', '01a1ff3', 'ffffffff-ffff', `${A}0`]) {
      expect(await findEventId(service, text)).toBe(text);
    }
    expect(service.asked).toEqual([]);
  });

  it('finds the one event that begins like that, in the time that the beginning says', async () => {
    const service = new Listed([C, B, A]);
    expect(await findEventId(service, C.slice(0, 13))).toBe(C);
    expect(await findEventId(service, A.slice(0, 18))).toBe(A);
    const at = parseInt('01a1ff3df049', 16);
    expect(service.asked[0]).toEqual({
      since: new Date(at).toISOString(),
      until: new Date(at + 1).toISOString(),
      limit: 200,
    });
  });

  it('says which begin like that where there are several, or too many to look through', async () => {
    await expect(findEventId(new Listed([B, A]), A.slice(0, 13))).rejects.toMatchObject({
      message: `Several events begin with ${A.slice(0, 13)}.`,
      hint: `Give more of the id: ${B}, ${A}`,
    });
    await expect(findEventId(new Listed([A], '7'), A.slice(0, 8))).rejects.toMatchObject({
      hint: `Give more of the id: ${A}`,
    });
  });

  it('takes the newest for the last one, and says when there is none', async () => {
    expect(await findEventId(new Listed([C, A]), 'last')).toBe(C);
    await expect(findEventId(new Listed([]), 'last')).rejects.toMatchObject({
      message: 'There are no events yet.',
    });
  });

  it('leaves it to the service to say that there is none', async () => {
    expect(await findEventId(new Listed([]), A.slice(0, 13))).toBe(A.slice(0, 13));
  });
});
