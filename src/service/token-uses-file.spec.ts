import { ConfigDirectory } from '../../test/support/config-directory.ts';
import { TOKEN_USES_FILE, readTokenUses } from './token-uses-file.ts';

it('takes nothing of a file that the service did not write', async () => {
  using dir = new ConfigDirectory();
  expect([...(await readTokenUses(dir.path))]).toEqual([]);
  const written = '2026-01-01T00:00:00.000Z';
  dir.write(TOKEN_USES_FILE, { a: written, b: { toString: false }, c: 'soon', d: 5, e: null });
  expect([...(await readTokenUses(dir.path))]).toEqual([['a', Date.parse(written)]]);
  dir.write(TOKEN_USES_FILE, '[');
  expect([...(await readTokenUses(dir.path))]).toEqual([]);
});
