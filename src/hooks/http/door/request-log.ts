import { Injectable, Logger } from '@nestjs/common';
import { RequestObserver } from '../../ports/observer.ts';

/** One request, as the log sees it: no payload, no token, no query. */
export interface RequestLine {
  /** Id of the event, when one was stored. */
  readonly event: string | null;
  /** Name of the hook, at most 100 characters; null when the sender was not verified. */
  readonly hook: string | null;
  /** 499: the client went away before its answer. */
  readonly status: number;
  readonly ms: number;
}

/** Writes one structured line per request and tells whoever counts. */
@Injectable()
export class RequestLog {
  readonly #logger = new Logger('Hooks');

  constructor(private readonly observer: RequestObserver) {}

  /** @param endpoint what the request reached, for metrics; never a name from the URL. */
  write(line: RequestLine, endpoint: string | null): void {
    this.#logger.log({ ...line, ms: Math.round(line.ms * 10) / 10 });
    this.observer.observe({ hook: endpoint, status: line.status, ms: line.ms });
  }
}
