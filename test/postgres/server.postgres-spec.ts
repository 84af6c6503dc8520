import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { isGone } from '../support/process-state.ts';
import { ask } from './ask.ts';
import { PostgresSuite } from './suite.ts';

describe('The PostgreSQL of the tests', () => {
  const suite = PostgresSuite.inThisFile({ tcp: true });

  it('gives every test an empty database, or a copy of one', async () => {
    await using one = await suite.server.database();
    await ask(one.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    await using copy = await suite.server.database(one.name);
    await using other = await suite.server.database();
    expect(await ask(copy.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await expect(ask(other.url, 'SELECT n FROM kept')).rejects.toThrow('does not exist');
  });

  it('keeps what was committed, and its port, when it ends at once', async () => {
    const { server } = suite;
    await using one = await server.database();
    await ask(one.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    await server.stop('immediate');
    await expect(ask(one.url, 'SELECT 1')).rejects.toThrow();
    await server.resume();
    expect(await ask(server.tcpUrl(one.name), 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });
});

describe('A process that is killed', () => {
  it('leaves neither its PostgreSQL nor the directory', async () => {
    const started = fileURLToPath(new URL('started-server.ts', import.meta.url));
    const child = spawn(process.execPath, [started], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const [dir = '', pid = ''] = String(line).split(' ');
    expect([existsSync(dir), isGone(Number(pid))]).toEqual([true, false]);
    child.kill('SIGKILL');
    await eventually('nothing of it is left', () => !existsSync(dir) && isGone(Number(pid)));
  });
});
