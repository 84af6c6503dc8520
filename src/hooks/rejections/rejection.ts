import { REJECTIONS } from './catalogue.ts';
import type { RejectionCode } from './catalogue.ts';

/** A request refused, or failed, with one code of the catalogue. Never carries a payload, a token or a path of the machine. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: RejectionCode;
  readonly status: number;
  /** Seconds for `Retry-After`; every 503 has them. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RejectionCode, detail = '', retryAfterSeconds?: number) {
    super(REJECTIONS[code].sentence.replace('{detail}', () => detail));
    this.code = code;
    this.status = REJECTIONS[code].status;
    this.retryAfterSeconds = retryAfterSeconds ?? (this.status === 503 ? 5 : undefined);
  }
}
