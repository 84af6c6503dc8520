import { eventDetails } from '../../../test/support/event-details.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import type { EventStatus, EventSummary } from '../../hooks/index.ts';
import { ServiceRefusal, ServiceUnreachable } from '../service/service-errors.ts';
import type { EventsAsked } from '../service/service-client.ts';
import { EventTail } from './event-tail.ts';

/** A service whose events the test decides, newest last. */
class Followable {
  readonly #abort = new AbortController();
  readonly signal = this.#abort.signal;
  readonly all: EventSummary[] = [];
  failure: Error | null = null;
  rounds = 0;

  add(id: string, status: EventStatus = 'accepted'): void {
    this.all.push(eventDetails({ id, status }));
  }

  set(id: string, status: EventStatus): void {
    const at = this.all.findIndex((event) => event.id === id);
    this.all[at] = eventDetails({ id, status });
  }

  async events({ cursor, limit = 50 }: EventsAsked) {
    if (cursor === undefined) this.rounds += 1;
    if (this.failure !== null) throw this.failure;
    const from = Number(cursor ?? 0);
    const events = this.all.toReversed().slice(from, from + limit);
    const end = from + limit;
    return { events, nextCursor: end < this.all.length ? String(end) : null };
  }

  async event(id: string) {
    const found = this.all.find((event) => event.id === id);
    if (found === undefined) throw new ServiceRefusal(404, 'unknown_event', 'gone');
    return eventDetails(found);
  }

  stop(): void {
    this.#abort.abort();
  }
}

class Tailing {
  readonly clock = new ManualClock();
  readonly reported: string[] = [];
  /** The last event that was reported. */
  last: EventSummary | undefined;
  readonly over: Promise<unknown>;

  constructor(
    readonly service: Followable,
    last = 10,
  ) {
    const tail = new EventTail(
      service,
      { last },
      {
        earlier: ({ id, status }) => this.reported.push(`before: ${id} ${status}`),
        event: (event) => {
          this.reported.push(`${event.id} ${event.status}`);
          this.last = event;
        },
        silence: (isSilent) => this.reported.push(isSilent ? 'silent' : 'back'),
        gap: () => this.reported.push('gap'),
      },
    );
    this.over = tail.follow(this.clock).catch((error: unknown) => error);
  }

  /** Lets it look once more. */
  async look(): Promise<void> {
    await eventually('it waits', () => this.clock.waiting > 0);
    const { rounds } = this.service;
    this.clock.advance(10_000);
    await eventually('it has looked', () => this.service.rounds > rounds && this.clock.waiting > 0);
  }

  async stop(): Promise<unknown> {
    this.service.stop();
    return this.over;
  }
}

let service: Followable;
beforeEach(() => (service = new Followable()));

describe('EventTail', () => {
  it('tells the newest events, then new ones and changes, each once', async () => {
    for (const id of ['a', 'b', 'c']) service.add(id, 'done');
    const tail = new Tailing(service, 2);
    await tail.look();
    service.add('d');
    await tail.look();
    service.set('d', 'running');
    service.add('e', 'done');
    await tail.look();
    await tail.look();
    service.set('d', 'failed');
    await tail.look();
    service.set('d', 'running');
    await tail.look();
    service.set('a', 'done');
    await tail.look();
    await tail.stop();
    expect(tail.reported).toEqual([
      'before: b done',
      'before: c done',
      'd accepted',
      'd running',
      'e done',
      'd failed',
      'd running',
    ]);
  });

  it('follows events that were open before it began, even where it does not tell them', async () => {
    service.add('a', 'running');
    const tail = new Tailing(service, 0);
    await tail.look();
    service.set('a', 'done');
    await tail.look();
    await tail.stop();
    expect(tail.reported).toEqual(['a done']);
  });

  it('misses nothing in a burst of several pages, and tells it in order', async () => {
    service.add('old', 'done');
    const tail = new Tailing(service, 0);
    await tail.look();
    const ids = Array.from({ length: 450 }, (_, n) => `n${n}`);
    for (const id of ids) service.add(id, 'done');
    await tail.look();
    await tail.stop();
    expect(tail.reported).toEqual(ids.map((id) => `${id} done`));
  });

  it('reads no more than 5,000 at a time, and says that there were more', async () => {
    service.add('old', 'done');
    const tail = new Tailing(service, 0);
    await tail.look();
    for (let n = 0; n < 5100; n++) service.add(`n${n}`, 'done');
    await tail.look();
    await tail.stop();
    expect(tail.reported.slice(0, 2)).toEqual(['gap', 'n100 done']);
    expect(tail.reported).toHaveLength(5001);
  });

  it('asks after open events that left the newest page, and forgets those that are gone', async () => {
    service.add('open', 'running');
    service.add('gone', 'running');
    const tail = new Tailing(service, 0);
    for (let n = 0; n < 250; n++) service.add(`n${n}`, 'done');
    await tail.look();
    tail.reported.length = 0;
    service.set('open', 'done');
    service.all.splice(1, 1);
    await tail.look();
    await tail.look();
    await tail.stop();
    expect(tail.reported).toEqual(['open done']);
    expect(Object.keys(tail.last ?? {}).toSorted()).toEqual([
      'error',
      'headline',
      'hook',
      'id',
      'mapping',
      'receivedAt',
      'status',
    ]);
  });

  it('does not take old events for new ones when newer ones are forgotten', async () => {
    for (let n = 0; n < 300; n++) service.add(`n${n}`, 'done');
    const tail = new Tailing(service, 0);
    await tail.look();
    service.all.splice(150, 100);
    await tail.look();
    await tail.stop();
    expect(tail.reported).toEqual([]);
  });
});

describe('EventTail and a service that restarts', () => {
  it('says so once, and misses nothing', async () => {
    const tail = new Tailing(service);
    await tail.look();
    service.failure = new ServiceUnreachable('http://a:1', 'ECONNREFUSED');
    await tail.look();
    await tail.look();
    service.add('a', 'done');
    service.failure = null;
    await tail.look();
    await tail.stop();
    expect(tail.reported).toEqual(['silent', 'back', 'a done']);
  });

  it('ends when the token is no longer right, and when it cannot begin', async () => {
    const refusal = new ServiceRefusal(401, 'operator_unauthorized', 'x');
    const tail = new Tailing(service);
    await eventually('it waits', () => tail.clock.waiting > 0);
    service.failure = refusal;
    tail.clock.advance(10_000);
    expect(await tail.over).toBe(refusal);
    service.failure = new ServiceUnreachable('http://a:1', 'ECONNREFUSED');
    expect(await new Tailing(service).over).toBe(service.failure);
  });
});
