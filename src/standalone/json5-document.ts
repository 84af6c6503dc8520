import JSON5 from 'json5';
import type { Problem } from '../hooks/index.ts';
import { GATEWAY_FILE } from './configuration-files.ts';

/** A configuration file as data: its sections by name. */
export type Sections = Readonly<Record<string, unknown>>;

/** Reads the text of gateway.json5; a syntax error is a problem that names line and column. */
export function parseSections(text: string): { sections: Sections; problems: Problem[] } {
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (error) {
    return { sections: {}, problems: [syntaxProblem(error)] };
  }
  if (isSections(value)) return withoutSchema(value);
  return { sections: {}, problems: [{ key: GATEWAY_FILE, message: 'must be one object: { … }' }] };
}

/** Whether a value can be a section, or hold sections: an object, no list. */
export function isSections(value: unknown): value is Sections {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `$schema` tells editors where the JSON Schema is; it is no section. */
function withoutSchema({ $schema, ...sections }: Sections): {
  sections: Sections;
  problems: Problem[];
} {
  if ($schema === undefined || typeof $schema === 'string') return { sections, problems: [] };
  return { sections, problems: [{ key: '$schema', message: 'must be the address of a schema' }] };
}

function syntaxProblem(error: unknown): Problem {
  const text = error instanceof Error ? error.message : String(error);
  const [, line, column] = / at (\d+):(\d+)$/.exec(text) ?? [];
  const what = text.replace(/^JSON5: /, '').replace(/ at \d+:\d+$/, '');
  const where = line === undefined ? '' : `line ${line}, column ${column}: `;
  return { key: GATEWAY_FILE, message: `is not valid JSON5 (${where}${what}); correct it there` };
}
