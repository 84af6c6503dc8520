/** What is sent back: decided as data, written by the door. */
export interface Answer {
  readonly status: number;
  /** Absent for 204. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the access log. */
  readonly eventId?: string;
}
