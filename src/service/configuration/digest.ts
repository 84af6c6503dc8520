import { hash } from 'node:crypto';
import { isRecord } from '../../platform/objects.ts';
import type { Sections } from './files.ts';

/** What may differ between services that share a ledger: where each of them listens and keeps its files. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  gateway: ['host', 'port', 'shutdownSeconds'],
  ops: ['listen', 'hosts'],
  store: ['dir', 'postgres'],
};

const LENGTH = 12;

/** Names a configuration among those of services that share a ledger; nothing of it can be read from it. */
export function configurationDigest(sections: Sections): string {
  const shared = Object.entries(sections).map(([name, section]) => {
    const own = OWN[name] ?? [];
    if (!isRecord(section)) return [name, section];
    return [
      name,
      Object.fromEntries(Object.entries(section).filter(([key]) => !own.includes(key))),
    ];
  });
  const text = JSON.stringify(inOrder(Object.fromEntries(shared)));
  return hash('sha256', text).slice(0, LENGTH);
}

/** Files may name the same keys in another order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}
