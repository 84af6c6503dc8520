import type { Problem } from '../hooks/index.ts';
import type { Sections } from './json5-document.ts';
import type { Environment } from './variables.ts';

/** GATEWAY_HOST and GATEWAY_PORT win over the file, for containers and tests. */
export function overrideAddress(
  sections: Sections,
  env: Environment,
): { sections: Sections; problems: Problem[] } {
  const host = given(env['GATEWAY_HOST']);
  const port = given(env['GATEWAY_PORT']);
  if (port !== undefined && !/^\d{1,5}$/.test(port)) {
    const message = 'must be a port number, 0 to 65535; correct it in the environment';
    return { sections, problems: [{ key: 'GATEWAY_PORT', message }] };
  }
  const gateway = sections['gateway'] ?? {};
  if (typeof gateway !== 'object' || Array.isArray(gateway)) return { sections, problems: [] };
  const address = {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: Number(port) }),
  };
  return { sections: { ...sections, gateway: { ...gateway, ...address } }, problems: [] };
}

function given(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
}
