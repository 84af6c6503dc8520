import JSON5 from 'json5';
import type { Problem } from '../../hooks/index.ts';
import { GATEWAY_FILE } from './files.ts';

// JSON5 takes the last of two entries with the same key and says nothing: what the first one said is lost.

/** Comments and texts are one token each, so that nothing inside them counts. */
const TOKEN =
  /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|[{}[\],:]|[^\s{}[\],:"'/]+/g;

interface Open {
  readonly path: string;
  /** The lines of its keys; null: it is a list. */
  readonly lines: Map<string, number> | null;
  /** The key or the index of what is read now. */
  at: string | number;
  isKeyNext: boolean;
}

/** A warning for each key that stands twice in one object, with its lines. @param text JSON5 without mistakes */
export function repeatedKeys(text: string, file: string): Problem[] {
  const found: Problem[] = [];
  const open: Open[] = [];
  let [line, counted] = [1, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    line += text.slice(counted, index).split(/\r\n|[\n\r\u2028\u2029]/).length - 1;
    counted = index;
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    const last = open.at(-1);
    if (token === '{' || token === '[') {
      const path = last === undefined ? '' : pathOf(last);
      const lines = token === '{' ? new Map<string, number>() : null;
      open.push({ path, lines, at: 0, isKeyNext: token === '{' });
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (last !== undefined && token === ',') {
      last.isKeyNext = last.lines !== null;
      if (typeof last.at === 'number') last.at += 1;
    } else if (last?.lines && last.isKeyNext && token !== ':') {
      last.isKeyNext = false;
      last.at = nameOf(token);
      const first = last.lines.get(last.at);
      if (first !== undefined) found.push(repeated(pathOf(last), file, first, line));
      last.lines.set(last.at, line);
    }
  }
  return found;
}

function pathOf({ path, lines, at }: Open): string {
  if (lines === null) return `${path}[${at}]`;
  return path === '' ? String(at) : `${path}.${at}`;
}

/** A key is written as a text or as a word, both of which may hold escapes. */
function nameOf(token: string): string {
  return Object.keys(JSON5.parse<object>(`{${token}:0}`)).join('');
}

function repeated(path: string, file: string, first: number, then: number): Problem {
  const key = file === GATEWAY_FILE ? path : `${file}: ${path}`;
  const message = `is given twice (lines ${first} and ${then}), and only the last one counts; make one of both`;
  return { key, message };
}
