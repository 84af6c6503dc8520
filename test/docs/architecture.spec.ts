import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/architecture.md', ROOT), 'utf8');
const require = createRequire(import.meta.url);

const rooms = new Map(
  Array.from(
    page.matchAll(/^\| `([\w/]+)` +\| [^|]+\? +\| ([^|]+?) +\|$/gmu),
    ([, room = '', allowed = '']) => [room, allowed] as const,
  ),
);

/** The rules that `npm run rooms` checks: `<room>-imports-<room>-<room>`, for the rooms of the hooks. */
interface RoomRules {
  readonly forbidden: readonly {
    readonly name: string;
    readonly from: { readonly path?: string };
  }[];
}

function rulesOfRooms(): Map<string, string> {
  const { forbidden }: RoomRules = require('../../.dependency-cruiser.cjs');
  return new Map(
    forbidden
      .filter(({ from }) => /^\^src\/hooks\/\w+\/$/u.test(from.path ?? ''))
      .map(({ name }) => {
        const [room = '', allowed = ''] = name.split('-imports-');
        return [`hooks/${room}`, allowed.split('-').join(', ')];
      }),
  );
}

function foldersOf(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

describe('docs/architecture.md', () => {
  it('has a room for every folder of src, and no other', () => {
    const inHooks = foldersOf('src/hooks').map((name) => `hooks/${name}`);
    const beside = foldersOf('src').filter((name) => name !== 'hooks');
    expect([...rooms.keys()].toSorted()).toEqual([...inHooks, ...beside].toSorted());
  });

  it('says what the rooms of the hooks may import as npm run rooms checks it', () => {
    const said = [...rooms].filter(([room]) => room.startsWith('hooks/'));
    expect(new Map(said)).toEqual(rulesOfRooms());
  });
});
