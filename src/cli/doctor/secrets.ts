import type { Inspection } from '../../standalone/inspect-configuration.ts';
import { isSections } from '../../standalone/json5-document.ts';

/** A secret of the configuration and where it stands. */
export interface Secret {
  readonly key: string;
  readonly value: string;
  /** True: it stands in gateway.json5 itself, not in a variable. */
  readonly isLiteral: boolean;
}

/** Keys whose text is a secret. `hooks.token` is one, `msteams` has a `tokenUrl` that is none. */
const SECRET_KEY = /(?:token|secret|password|apiKey)$/i;

/** Every secret of the configuration, the generated operator token among them. */
export function secretsOf({ sections, written, resolved }: Inspection): Secret[] {
  const found = secretsIn(sections, written, '');
  const isGiven = found.some(({ key }) => key === 'gateway.auth.token');
  const kept = isGiven ? undefined : resolved?.operatorTokenFile.read();
  if (kept === undefined) return found;
  return [...found, { key: 'operator-token', value: kept, isLiteral: false }];
}

function secretsIn(value: unknown, written: unknown, place: string): Secret[] {
  if (Array.isArray(value)) {
    const originals: readonly unknown[] = Array.isArray(written) ? written : [];
    return value.flatMap((item, index) => secretsIn(item, originals[index], `${place}[${index}]`));
  }
  if (!isSections(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const key = place === '' ? name : `${place}.${name}`;
    const original = isSections(written) ? written[name] : undefined;
    if (typeof inner !== 'string' || !SECRET_KEY.test(name)) return secretsIn(inner, original, key);
    const secret = inner.trim();
    return secret === '' ? [] : [{ key, value: secret, isLiteral: original === inner }];
  });
}
