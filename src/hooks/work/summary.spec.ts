import * as fc from 'fast-check';
import { summaryOf } from './summary.ts';

describe('summaryOf (behaviour §5 Summary)', () => {
  it.each([
    ['CI', 'reply', 'done', 'Hook CI: done'],
    ['CI', 'error', 'no such model', 'Hook CI (error): no such model'],
    ['CI', 'timeout', 'no reply within 5 s', 'Hook CI (timeout): no reply within 5 s'],
    ['CI', 'delivery', 'blocked', 'Hook CI (delivery): blocked'],
    ['Hook', 'reply', 'done', 'Hook: done'],
    ['Hook', 'error', 'bad', 'Hook (error): bad'],
    ['CI', 'reply', '  \n', 'Hook CI: (no reply)'],
    ['CI', 'reply', ' done\n', 'Hook CI: done'],
  ] as const)('%s, %s, %j: %s', (name, kind, text, summary) => {
    expect(summaryOf(name, kind, text)).toBe(summary);
  });

  it('keeps 2,000 characters and cuts more, with an ellipsis', () => {
    const fits = 'x'.repeat(2000 - 'Hook CI: '.length);
    expect(summaryOf('CI', 'reply', fits)).toBe(`Hook CI: ${fits}`);
    const cut = summaryOf('CI', 'reply', `${fits}y`);
    expect(cut).toHaveLength(2000);
    expect(cut.endsWith('x…')).toBe(true);
  });

  it('never cuts inside a surrogate pair', () => {
    const text = fc.string({ unit: fc.constantFrom('😀', 'x'), minLength: 1985, maxLength: 2010 });
    expect(() =>
      fc.assert(
        fc.property(text, (reply) => {
          const summary = summaryOf('CI', 'reply', reply);
          return summary.isWellFormed() && summary.length <= 2000;
        }),
      ),
    ).not.toThrow();
  });
});
