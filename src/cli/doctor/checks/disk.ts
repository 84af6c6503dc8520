import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { MAKE_ROOM, diskRoom } from '../../../service/index.ts';
import { error, ok, warning } from '../check.ts';
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
    const room = diskRoom(bavail * bsize);
    const what = `${room.what} are free for ${store.dir}`;
    if (room.state === 'enough') return [ok(what)];
    const tell = room.state === 'little' ? warning : error;
    return [tell(`only ${what}`, MAKE_ROOM)];
  },
};

/** The directory itself, or the one in which it would be made. */
export function nearestExisting(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearestExisting(dirname(dir));
}
