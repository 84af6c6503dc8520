import type { Problem } from '../../hooks/index.ts';
import { isRecord } from '../../platform/objects.ts';
import type { Sections } from './files.ts';

/** Variables by name; those of the process, or of .env. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** `${NAME}`, or `$${NAME}` which stays `${NAME}`. */
const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A copy of `value` with every `${NAME}` in its texts replaced; a variable that is unset or empty is a problem. */
export function expandVariables(
  value: unknown,
  env: Environment,
): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const expandText = (text: string, key: string): string =>
    text.replace(REFERENCE, (reference, escape: string, name: string) => {
      if (escape !== '') return reference.slice(1);
      const replacement = env[name] ?? '';
      if (replacement.trim() === '') problems.push(unset(key, name));
      return replacement;
    });
  const expand = (inner: unknown, key: string): unknown => {
    if (typeof inner === 'string') return expandText(inner, key);
    if (Array.isArray(inner)) return inner.map((item, index) => expand(item, `${key}[${index}]`));
    if (typeof inner !== 'object' || inner === null) return inner;
    const entries = Object.entries(inner).map(([name, entry]) => [
      name,
      expand(entry, key === '' ? name : `${key}.${name}`),
    ]);
    return Object.fromEntries(entries);
  };
  return { value: expand(value, ''), problems };
}

/** An empty value is most likely a line of .env that was never filled in. */
function unset(key: string, name: string): Problem {
  const message = `names the variable ${name}, which is not set or empty; set it in the environment or in .env`;
  return { key, message };
}

export interface OverriddenAddress {
  readonly sections: Sections;
  readonly problems: readonly Problem[];
  /** Keys whose value is that of the environment, with the variable. */
  readonly overridden: ReadonlyMap<string, string>;
}

/** GATEWAY_HOST and GATEWAY_PORT win over the files, for containers and tests. */
export function overrideAddress(sections: Sections, env: Environment): OverriddenAddress {
  const host = env['GATEWAY_HOST']?.trim() ?? '';
  const port = env['GATEWAY_PORT']?.trim() ?? '';
  const overridden = new Map<string, string>();
  if (port !== '' && !/^\d{1,5}$/.test(port)) {
    const message = 'must be a port number, 0 to 65535; correct it in the environment';
    return { sections, problems: [{ key: 'GATEWAY_PORT', message }], overridden };
  }
  const gateway = sections['gateway'] ?? {};
  if (!isRecord(gateway)) return { sections, problems: [], overridden };
  if (host !== '') overridden.set('gateway.host', 'GATEWAY_HOST');
  if (port !== '') overridden.set('gateway.port', 'GATEWAY_PORT');
  const address = { ...(host !== '' && { host }), ...(port !== '' && { port: Number(port) }) };
  return {
    sections: { ...sections, gateway: { ...gateway, ...address } },
    problems: [],
    overridden,
  };
}
