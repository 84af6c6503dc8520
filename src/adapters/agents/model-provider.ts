/** One entry of `models.providers`. */
export interface ModelProvider {
  /** Which protocol the server speaks. */
  readonly type: 'openai-compatible';
  /** With its version path, e.g. `http://127.0.0.1:11434/v1`; without user name and password. */
  readonly baseUrl: string;
  /** Sent as a bearer token; absent: none is sent. */
  readonly apiKey?: string;
}

/** A provider and the name the operator gave it: the part of `<provider>/<model>` before the first slash. */
export interface NamedProvider extends ModelProvider {
  readonly name: string;
}
