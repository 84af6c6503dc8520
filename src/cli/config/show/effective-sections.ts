import { resolveSection } from '../../../hooks/index.ts';
import { isSections } from '../../../standalone/json5-document.ts';
import type { Sections } from '../../../standalone/json5-document.ts';
import { SECTIONS } from '../../../standalone/sections.ts';

/** Every section with its defaults, as plain data. The configuration has no problems. */
export function effectiveSections(sections: Sections): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(SECTIONS).map(([name, { options, parts = {} }]) => {
      const given = isSections(sections[name]) ? sections[name] : {};
      const own = Object.entries(given).filter(([key]) => !(key in parts));
      const { value } = resolveSection(options, Object.fromEntries(own), name);
      const ofParts = Object.entries(parts)
        .filter(([part]) => given[part] !== undefined)
        .map(([part, ofPart]) => {
          const resolved = resolveSection(ofPart, given[part], `${name}.${part}`);
          return [part, plain(resolved.value)] as const;
        });
      return [name, { ...plain(value), ...Object.fromEntries(ofParts) }];
    }),
  );
}

/** Options as data: maps as objects, keys without a value left out. */
function plain(options: object): Record<string, unknown> {
  const entries = options instanceof Map ? [...options] : Object.entries(options);
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== undefined)
      .map(([key, value]): [string, unknown] => [String(key), plainValue(value)]),
  );
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  return typeof value === 'object' && value !== null ? plain(value) : value;
}
