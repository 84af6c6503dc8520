import { eventDetails } from '../../../test/support/event-details.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import type { EventStatus, EventSummary } from '../../hooks/index.ts';
import type { ToldEvents } from '../service/event-stream.ts';
import { ServiceRefusal, ServiceUnreachable } from '../service/service-answers.ts';
import type { EventsAsked } from '../service/service-client.ts';
import { EventTail } from './event-tail.ts';

/** Most events of one message. */
const TOLD = 50;

class Followable {
  readonly #abort = new AbortController();
  readonly signal = this.#abort.signal;
  readonly all: EventSummary[] = [];
  failure: Error | null = null;
  readonly marks: (string | undefined)[] = [];
  pages = 0;
  #changed = new Set<string>();
  #messages: ToldEvents[] = [];
  #said = 0;
  #wake = (): void => {};
  heard = 0;

  add(id: string, status: EventStatus = 'accepted'): void {
    this.all.push(eventDetails({ id, status }));
    this.#changed.add(id);
  }

  set(id: string, status: EventStatus): void {
    const at = this.all.findIndex((event) => event.id === id);
    this.all[at] = eventDetails({ id, status });
    this.#changed.delete(id);
    this.#changed.add(id);
  }

  tell(): void {
    const changed = [...this.#changed].toReversed();
    this.#changed = new Set();
    const events = changed
      .slice(0, TOLD)
      .flatMap((id) => this.all.find((event) => event.id === id) ?? []);
    const more = Math.max(0, changed.length - TOLD);
    this.#messages.push({ events, more, mark: `m${++this.#said}` });
    this.#wake();
  }

  breakOff(): void {
    this.#wake();
  }

  async *follow(mark: string | undefined): AsyncGenerator<ToldEvents, void> {
    this.marks.push(mark);
    if (this.failure !== null) throw this.failure;
    this.#messages = [{ events: [], more: 0, mark: `m${this.#said}` }];
    while (!this.signal.aborted) {
      const message = this.#messages.shift();
      if (message !== undefined) {
        yield message;
        this.heard += 1;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        if (this.failure !== null) throw this.failure;
      }
    }
  }

  async events({ cursor, limit = 50 }: EventsAsked) {
    this.pages += 1;
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
    this.#wake();
  }
}

class Tailing {
  readonly clock = new ManualClock();
  readonly reported: string[] = [];
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

  async look(): Promise<void> {
    await eventually('it has begun', () => this.service.heard > 0);
    const { heard } = this.service;
    this.service.tell();
    await eventually('it has heard', () => this.service.heard > heard);
  }

  /** The connection breaks off, and nothing can be asked for a while. @param meanwhile what happens then */
  async gap(meanwhile: () => void): Promise<void> {
    await eventually('it has begun', () => this.service.heard > 0);
    this.service.failure = new ServiceUnreachable('http://a:1', 'ECONNREFUSED');
    this.service.breakOff();
    await eventually('it waits', () => this.clock.waiting > 0);
    const { length } = this.service.marks;
    this.clock.advance(10_000);
    await eventually(
      'it waits',
      () => this.service.marks.length > length && this.clock.waiting > 0,
    );
    meanwhile();
    const { heard } = this.service;
    this.service.failure = null;
    this.clock.advance(10_000);
    await eventually('it has caught up', () => this.service.heard > heard);
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
    service.set('b', 'done');
    await tail.look();
    await tail.stop();
    expect(service.pages).toBe(1);
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

  it('tells of an old event that is begun again', async () => {
    service.add('old', 'failed');
    for (let n = 0; n < 250; n++) service.add(`n${n}`, 'done');
    const tail = new Tailing(service, 0);
    await eventually('it has begun', () => service.heard > 0);
    service.tell();
    await tail.look();
    tail.reported.length = 0;
    service.set('old', 'running');
    await tail.look();
    service.set('old', 'done');
    await tail.look();
    await tail.stop();
    expect(tail.reported).toEqual(['old running', 'old done']);
  });

  it('asks after open events that left the newest page, and forgets those that are gone', async () => {
    service.add('open', 'running');
    service.add('gone', 'running');
    const tail = new Tailing(service, 0);
    await tail.look();
    await tail.gap(() => {
      for (let n = 0; n < 250; n++) service.add(`n${n}`, 'done');
    });
    tail.reported.length = 0;
    await tail.gap(() => {
      service.set('open', 'done');
      service.all.splice(1, 1);
    });
    await tail.gap(() => {});
    await tail.stop();
    expect(tail.reported.filter((line) => line.includes(' '))).toEqual(['open done']);
    expect(Object.keys(tail.last ?? {}).toSorted()).toEqual([
      'agentId',
      'channel',
      'error',
      'headline',
      'hook',
      'id',
      'mapping',
      'receivedAt',
      'status',
      'waitReason',
    ]);
  });

  it('does not take old events for new ones when newer ones are forgotten', async () => {
    for (let n = 0; n < 300; n++) service.add(`n${n}`, 'done');
    const tail = new Tailing(service, 0);
    await tail.look();
    await tail.gap(() => service.all.splice(150, 100));
    await tail.stop();
    expect(tail.reported).toEqual(['silent', 'back']);
  });
});

describe('EventTail and a service that restarts', () => {
  it('ends when the token is no longer right, and when it cannot begin', async () => {
    const refusal = new ServiceRefusal(401, 'operator_unauthorized', 'x');
    const tail = new Tailing(service);
    await tail.look();
    service.failure = refusal;
    service.breakOff();
    expect(await tail.over).toBe(refusal);
    service.failure = new ServiceUnreachable('http://a:1', 'ECONNREFUSED');
    expect(await new Tailing(service).over).toBe(service.failure);
  });
});
