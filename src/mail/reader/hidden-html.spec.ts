import type { HtmlNode } from './elements.ts';
import { removeUnseen } from './hidden-html.ts';

/** A mail of so many rules, each of which looks through all elements, and so many elements. */
function hostile(size: number): HtmlNode {
  const css = Array.from({ length: size }, (_, n) => `i ~ i ~ u.c${n % 9}{opacity:0}`).join('');
  const style = {
    type: 'style',
    name: 'style',
    attribs: {},
    children: [{ type: 'text', data: css }],
  };
  const words = Array.from({ length: size }, (_, n) => ({
    type: 'tag',
    name: n % 2 === 0 ? 'u' : 'i',
    attribs: { class: `c${n % 9}` },
    children: [{ type: 'text', data: 'x' }],
  }));
  return { type: 'root', children: [style, ...words] };
}

it('compares a bounded number of times, and what is left then may not be visible', () => {
  const [small, large] = [removeUnseen(hostile(2_000)), removeUnseen(hostile(4_000))];
  expect(small.hidden + small.unknown).toBeGreaterThan(0);
  expect(large.unknown).toBeGreaterThan(0);
  expect(large.steps).toBeGreaterThan(1_000_000);
  expect(large.steps).toBeLessThan(small.steps * 2);
});
