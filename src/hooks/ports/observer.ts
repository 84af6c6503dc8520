/** One answered request of a hook endpoint, without anything its sender chose. */
export interface ObservedRequest {
  /** `wake`, `agent` or the id of the mapping that matched; null when none was reached. Never a name from the URL. */
  readonly hook: string | null;
  readonly status: number;
  /** From the request's first byte to the answer. */
  readonly ms: number;
}

/** Hears of every answered request, for metrics. A host replaces it; without one nobody listens. */
export abstract class RequestObserver {
  /** Must return at once and never throw. */
  abstract observe(request: ObservedRequest): void;
}

/** Listens to nothing. */
export class NoRequestObserver extends RequestObserver {
  override observe(): void {}
}
