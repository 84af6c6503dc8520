import { isDeepStrictEqual } from 'node:util';
import { normalizePrefix } from '../hooks/index.ts';
import type { Configuration } from './configuration.ts';
import { watcherPart } from './mail-section.ts';

/** How a value that cannot change while the service runs is read from a configuration. */
const NEED_RESTART: Readonly<Record<string, (configuration: Configuration) => unknown>> = {
  'gateway.host': ({ gateway }) => gateway.host,
  'gateway.port': ({ gateway }) => gateway.port,
  'gateway.auth.token': ({ operatorToken }) => operatorToken,
  'gateway.trustedProxies': ({ gateway }) => gateway.trustedProxies,
  'gateway.shutdownSeconds': ({ gateway }) => gateway.shutdownSeconds,
  'hooks.path': ({ hooks }) => normalizePrefix(hooks.path ?? ''),
  'hooks.mail': ({ mail }) => watcherPart(mail),
  channels: ({ sections }) => sections['channels'],
  'store.dir': ({ store }) => store.dir,
  'ops.exposed': ({ ops }) => ops.exposed,
};

/** The keys in which two configurations differ and which only a restart applies. */
export function restartKeys(running: Configuration, next: Configuration): string[] {
  return Object.entries(NEED_RESTART)
    .filter(([, read]) => !isDeepStrictEqual(read(running), read(next)))
    .map(([key]) => key);
}
