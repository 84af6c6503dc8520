import { SourceMap } from 'node:module';
import { NAMESPACE } from './module-guard.ts';
import type { Bundle } from './transform-compiler.ts';

const BUILT_IN = new Set([
  'AggregateError',
  'Error',
  'EvalError',
  'InternalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);
const FRAME = /at (\S{1,200}) \(transform\.js:(\d{1,9}):(\d{1,9})\)/gu;

/**
 * Class and place of an error of a guest, fit for a log. A guest can write anything into both: a class is named only
 * when it is the language's or a word of the transform's own code, a place is looked up in the source map.
 */
export function summaryOf(
  { name, stack }: { name: string; stack: string },
  bundle: Bundle,
): string {
  const place = placeOf({ name, stack }, bundle);
  return place === null ? classOf(name, bundle) : `${classOf(name, bundle)} at ${place}`;
}

function classOf(name: string, { code }: Bundle): string {
  if (BUILT_IN.has(name)) return name;
  const isOurs = /^[A-Za-z_$][\w$]{0,99}$/u.test(name) && code.split(/[^\w$]+/u).includes(name);
  return isOurs ? name : 'Error';
}

/** Where it was thrown: the first frame that is not the constructor of the error itself. */
function placeOf({ name, stack }: { name: string; stack: string }, { map }: Bundle): string | null {
  const frame = stack.matchAll(FRAME).find(([, called]) => called !== name);
  if (frame === undefined) return null;
  const [, , line, column] = frame;
  const entry = new SourceMap(JSON.parse(map)).findEntry(Number(line) - 1, Number(column) - 1);
  if (!('originalSource' in entry) || entry.originalSource === undefined) return null;
  return `${entry.originalSource.replace(`${NAMESPACE}:`, '')}:${entry.originalLine + 1}`;
}
