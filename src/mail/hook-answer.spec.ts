import { meaningOf } from './hook-answer.ts';

function meaning(status: number, more: object = {}): string {
  const parts = { retryAfterSeconds: undefined, code: undefined, eventId: undefined };
  return meaningOf({ status, ...parts, ...more }).kind;
}

describe('meaningOf', () => {
  it.each([
    ['accepted', [200, 204]],
    ['later', [408, 429, 500, 502, 503, 504]],
    ['misconfigured', [301, 302, 401, 403, 404, 405]],
    ['too-large', [413]],
    ['refused', [400, 409, 415, 422]],
  ])('%s: %j', (kind, statuses) => {
    expect(statuses.map((status) => meaning(status))).toEqual(statuses.map(() => kind));
  });

  it('a broken mapping that is kept as an event is over', () => {
    expect(meaning(500, { eventId: 'e-1' })).toBe('refused');
    expect(meaning(504, { eventId: 'e-1' })).toBe('refused');
  });

  it('follows Retry-After, an hour at most', () => {
    const parts = { status: 503, code: undefined, eventId: undefined };
    expect(meaningOf({ ...parts, retryAfterSeconds: 7 })).toMatchObject({ retryAfterMs: 7_000 });
    expect(meaningOf({ ...parts, retryAfterSeconds: 1e9 })).toMatchObject({
      retryAfterMs: 3_600_000,
    });
  });
});
