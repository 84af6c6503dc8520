import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { error, ok, warning } from '../check.ts';
import type { Check } from '../check.ts';

const MB = 1024 * 1024;
/** What a busy day of payloads and their log may take. */
const LITTLE_MB = 1024;
const TOO_LITTLE_MB = 100;

/** Whether what is accepted can be kept. */
export const disk: Check = {
  name: 'disk',
  needs: 'configuration',
  run({ resolved: { store } }) {
    const place = nearestExisting(store.dir);
    try {
      accessSync(place, constants.W_OK);
    } catch {
      return [error(`${place} cannot be written by this user`, 'change its owner, or store.dir')];
    }
    const { bavail, bsize } = statfsSync(place);
    const free = Math.floor((bavail * bsize) / MB);
    const what = `${free.toLocaleString('en')} MB are free for ${store.dir}`;
    const fix = 'make room: without it every hook is answered 503';
    if (free < TOO_LITTLE_MB) return [error(`only ${what}`, fix)];
    return [free < LITTLE_MB ? warning(`only ${what}`, fix) : ok(what)];
  },
};

/** The directory itself, or the one in which it would be made. */
export function nearestExisting(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearestExisting(dirname(dir));
}
