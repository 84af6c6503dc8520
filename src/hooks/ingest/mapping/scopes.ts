import { Rejection } from '../../rejections/index.ts';
import { bareName } from '../hook-request.ts';
import type { HookRequest } from '../hook-request.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { MAX_ITEMS } from './scope-transforms.ts';
import { lookUp } from './template.ts';
import type { TemplateScope } from './template.ts';

/**
 * What a mapping's templates and transform look at: once for the request, or once for each item of `forEach`.
 * @throws Rejection when `forEach` finds no list, or too long a one.
 */
export function scopesOf(mapping: CompiledMapping, request: HookRequest): TemplateScope[] {
  const scope: TemplateScope = {
    payload: request.payload,
    headers: request.headers,
    query: request.query,
    path: bareName(request.name),
    now: new Date(request.receivedAt).toISOString(),
  };
  if (mapping.forEach === undefined) return [scope];
  const items = lookUp(mapping.forEach, scope);
  if (!Array.isArray(items)) {
    throw new Rejection('invalid_payload', `${mapping.forEach.join('.')} must be an array`);
  }
  if (items.length > MAX_ITEMS) {
    const field = mapping.forEach.join('.');
    throw new Rejection('invalid_payload', `${field} must have at most ${MAX_ITEMS} items`);
  }
  return items.map((item: unknown, index) => ({ ...scope, item, index }));
}
