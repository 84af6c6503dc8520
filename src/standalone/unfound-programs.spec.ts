import { dirname } from 'node:path';
import { ConfigDirectory } from '../../test/support/config-directory.ts';
import { loadConfiguration } from './load-configuration.ts';

const command = (program: string) => ({ type: 'command', command: program });

async function warnings(agents: unknown): Promise<string[]> {
  using dir = new ConfigDirectory();
  const token = 'the-hook-token-of-the-tests';
  dir.write('gateway.json5', { hooks: { enabled: true, token }, agents });
  const path = { PATH: dirname(process.execPath) };
  const { warnings: found } = await loadConfiguration(dir.path, path);
  return found.map(({ key, message }) => `${key} ${message}`);
}

describe('programs that cannot be started', () => {
  it('are named at start, with what to do', async () => {
    const mcp = { desk: { command: 'no-such-server' }, web: { command: 'node' } };
    const list = [
      { id: 'a', runner: command('no-such-agent') },
      { id: 'b', runner: command('/nowhere/agent') },
      { id: 'c', tools: { mcp } },
    ];
    const unfound =
      'names a program that PATH does not find; install it or write its absolute path';
    expect(await warnings({ list })).toEqual([
      `agents.list[0].runner.command ${unfound}`,
      'agents.list[1].runner.command names a program that is not there or may not be run; install it there or correct the path',
      `agents.list[2].tools.mcp.desk.command ${unfound}`,
    ]);
  });

  it('are not those that PATH finds or that are there', async () => {
    const list = [
      { id: 'a', runner: command('node') },
      { id: 'b', runner: command(process.execPath) },
    ];
    expect(await warnings({ list })).toEqual([]);
  });
});
