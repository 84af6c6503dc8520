import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';

const PAGE = new URL('../../docs/reliability.md', import.meta.url);

/** The file and the statement of the page's `sqlite3` command. */
function documentedCopy(): { file: string; sql: string } {
  const command = /^sqlite3 'file:(.+)\?mode=ro' "(.+)"$/m.exec(readFileSync(PAGE, 'utf8'));
  const [, file = '', sql = ''] = command ?? [];
  return { file, sql };
}

function tokenIn(dir: ConfigDirectory, name: string): string {
  return readFileSync(join(dir.path, 'data', name), 'utf8').trim();
}

describe('docs/reliability.md: Backing up', () => {
  it('copies the ledger of a service that runs, and a copy restores all of it', async () => {
    using dir = new ConfigDirectory();
    using other = new ConfigDirectory();
    await using service = await ServiceProcess.listening(dir.path);
    const token = tokenIn(dir, 'hook-token');
    const sent = await service.ask('/hooks/wake', { token, body: { text: 'kept' } });
    expect(sent.status).toBe(200);

    const { file, sql } = documentedCopy();
    const copy = join(dir.path, 'backup.db');
    const ledger = new DatabaseSync(join(dir.path, file), { readOnly: true });
    ledger.exec(sql.replace("'backup.db'", `'${copy}'`));
    ledger.close();
    const later = await service.ask('/hooks/wake', { token, body: { text: 'later' } });
    expect(later.status).toBe(200);

    mkdirSync(join(other.path, 'data'), { mode: 0o700 });
    copyFileSync(copy, join(other.path, 'data', 'ledger.db'));
    for (const name of ['hook-token', 'operator-token'])
      other.write(`data/${name}`, tokenIn(dir, name));
    await using restored = await ServiceProcess.listening(other.path);
    const listed = await restored.ask('/ops/api/events', { token: tokenIn(dir, 'operator-token') });
    expect(listed.body['events']).toMatchObject([{ id: sent.body['eventId'] }]);
    const again = await restored.ask('/hooks/wake', { token, body: { text: 'goes on' } });
    expect(again.status).toBe(200);
  });
});
