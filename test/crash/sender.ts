import type { Gateway } from './gateway.ts';

/** An event that was answered 200: from then on it must not be lost. */
export interface Acknowledged {
  readonly eventId: string;
  readonly kind: 'wake' | 'agent';
  readonly session: string;
  readonly marker: string;
}

/** The service answered, but not as promised. */
class WrongAnswer extends Error {}

/** Sends one request after the other for one session until the service is gone. */
export class Sender {
  readonly acknowledged: Acknowledged[] = [];

  constructor(
    private readonly gateway: Gateway,
    private readonly session: string,
    private readonly round: number,
  ) {}

  async run(): Promise<void> {
    for (let n = 0; ; n += 1) {
      const marker = `[${this.session}:${this.round}:${n}]`;
      const kind = n % 4 === 3 ? 'wake' : 'agent';
      const eventId = await this.#send(kind, marker);
      if (eventId === null) return;
      this.acknowledged.push({ eventId, kind, session: this.session, marker });
    }
  }

  /** Null: the service was killed before its answer had arrived; nothing is promised then. */
  async #send(kind: 'wake' | 'agent', marker: string): Promise<string | null> {
    const body =
      kind === 'wake'
        ? { text: `Note ${marker}` }
        : {
            message: `Please answer ${marker}`,
            sessionKey: `crash:${this.session}`,
            channel: 'chan_2',
          };
    try {
      const answer = await this.gateway.post(kind, body);
      const { eventId } = (await answer.json()) as { eventId?: string };
      if (answer.status !== 200 || eventId === undefined)
        throw new WrongAnswer(`got ${answer.status}`);
      return eventId;
    } catch (error) {
      if (error instanceof WrongAnswer) throw error;
      return null;
    }
  }
}
