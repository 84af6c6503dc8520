import { activeTrace, asTraceparent, findTracing, traced } from './tracing.ts';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('tracing without an SDK', () => {
  it('only does what is to be done', async () => {
    await findTracing();
    const outcome = await traced({ name: 'act', parent: TRACEPARENT }, async (span) => {
      span.set({ known: 1 });
      span.fail('word');
      span.drop();
      return activeTrace() ?? 'untraced';
    });
    expect(outcome).toBe('untraced');
    const broken = new Error('broken');
    await expect(traced({ name: 'act' }, () => Promise.reject(broken))).rejects.toBe(broken);
  });
});

describe('a traceparent', () => {
  it('is what W3C says, without what later versions add', () => {
    expect(asTraceparent(TRACEPARENT)).toBe(TRACEPARENT);
    const later = TRACEPARENT.replace('00-', 'cc-');
    expect(asTraceparent(`${later}-what-comes-later`)).toBe(later);
  });

  it.each([
    undefined,
    '',
    `${TRACEPARENT}0`,
    ` ${TRACEPARENT}`,
    TRACEPARENT.toUpperCase(),
    TRACEPARENT.slice(1),
    '00-x-y-01',
  ])('is not %j', (header) => {
    expect(asTraceparent(header)).toBeUndefined();
  });
});
