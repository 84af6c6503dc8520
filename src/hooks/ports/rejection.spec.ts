import { REJECTIONS, Rejection } from './rejection.ts';
import type { RejectionCode } from './rejection.ts';

function codes(): RejectionCode[] {
  return Object.keys(REJECTIONS).filter((name): name is RejectionCode => name in REJECTIONS);
}

describe('Rejection (behaviour §2)', () => {
  it('fills in its detail once and as it is', () => {
    expect(new Rejection('payload_too_large', '$& {detail}').message).toBe(
      'Send at most $& {detail} bytes.',
    );
  });

  it('every 503 says when to come again, other answers only when told', () => {
    for (const code of codes()) {
      const { status, retryAfterSeconds } = new Rejection(code, 'x');
      expect([code, retryAfterSeconds]).toEqual([code, status === 503 ? 5 : undefined]);
    }
    expect(new Rejection('too_many_auth_failures', '', 60).retryAfterSeconds).toBe(60);
  });

  it.each(Object.entries(REJECTIONS))(
    '%s is a sentence with a 4xx or 5xx status',
    (_, { status, sentence }) => {
      expect(sentence).toMatch(/^(?:[A-Z{]).*\.$/u);
      expect([400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 500, 503, 504]).toContain(status);
    },
  );
});
