import type { TemplateScope } from './template.ts';

/**
 * The context of a transform for each scope of one request, as JSON text. What all of them share is written once: under
 * `forEach` a large payload would otherwise be written for every item.
 */
export function* contextsOf(scopes: readonly TemplateScope[]): Generator<string> {
  const [first] = scopes;
  if (first === undefined) return;
  const { payload, headers, query, path, now } = first;
  const shared = JSON.stringify({ payload, headers, query, path, now }).slice(0, -1);
  for (const scope of scopes) {
    const item =
      'item' in scope ? `,"item":${JSON.stringify(scope.item)},"index":${scope.index}` : '';
    yield `${shared}${item}}`;
  }
}
