/** One HTTP request as it is written on the wire. Whatever is left out is what a good sender would send. */
export interface Step {
  /** @default 'POST' */
  readonly method?: string;
  /** `~` stands for the prefix of the ingress: `~/wake` is `/hooks/wake` in most hosts. @default '~/wake' */
  readonly target?: string;
  /** Beside `host`, `authorization: Bearer {token}`, and with a body `content-type` and its length; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: string | Buffer;
  /** Instead of a body: `transfer-encoding: chunked`, a chunk each. */
  readonly chunks?: readonly string[];
  /** True: the body has no end, so that what the answer waits for does not depend on the network. */
  readonly isEndless?: boolean;
  /** @default '1.1' */
  readonly version?: string;
  /** Local address it is sent from, any of 127.0.0.0/8. @default '127.0.0.1' */
  readonly from?: string;
  /** True: on the connection of the step before. */
  readonly isKeptAlive?: boolean;
}

/** Requests by title, which is also the key of their answers; several steps belong together. */
export type Requests = Readonly<Record<string, Step | readonly Step[]>>;

export function post(target: string, payload: unknown = {}, changes: Step = {}): Step {
  return { target, body: JSON.stringify(payload), ...changes };
}

export function wake(changes: Step = {}): Step {
  return post('~/wake', { text: 'golden' }, changes);
}

export function agent(fields: object = {}, changes: Step = {}): Step {
  return post('~/agent', { message: 'golden', ...fields }, changes);
}

/** One request per row, titled `<kind>: <row>`. */
export function each<T>(
  kind: string,
  rows: Readonly<Record<string, T>>,
  step: (row: T) => Step,
): Requests {
  return Object.fromEntries(
    Object.entries(rows).map(([title, row]) => [`${kind}: ${title.slice(0, 60)}`, step(row)]),
  );
}

/** Rows that are their own titles. */
export function eachOf(
  kind: string,
  rows: readonly string[],
  step: (row: string) => Step,
): Requests {
  return each(kind, Object.fromEntries(rows.map((row) => [row, row])), step);
}
