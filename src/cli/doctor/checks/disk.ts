import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskRoom } from '../../../service/index.ts';
import { error, ok } from '../check.ts';
import type { Check } from '../check.ts';

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
    const { room, lack } = diskRoom(bavail * bsize);
    if (lack === undefined) return [ok(`${room} are free for ${store.dir}`)];
    const { severity, what, todo } = lack;
    return [{ severity, what, fix: todo }];
  },
};

/** The directory itself, or the one in which it would be made. */
export function nearestExisting(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearestExisting(dirname(dir));
}
