import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { HOOKS } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { ask } from './ask.ts';
import { PostgresSuite } from './suite.ts';

const HOOK_TOKEN = 'hook-token-of-good-length';

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          { readonly lifecycle: { readonly preStop: { readonly exec: { command: string[] } } } },
        ];
      };
    };
  };
}

describe('A pod of deploy/kubernetes.yaml before it stops', () => {
  const suite = PostgresSuite.inThisFile();

  /** What the kubelet runs in the container, with the commands of the image; nobody waits for a balancer. */
  async function preStop(bin: ConfigDirectory, cwd: string, port: string) {
    bin.write('hooks', `#!/bin/sh\nexec "${process.execPath}" "${HOOKS}" "$@"\n`);
    bin.write('sleep', '#!/bin/sh\necho "slept $1"\n');
    for (const command of ['hooks', 'sleep']) chmodSync(join(bin.path, command), 0o700);
    const documents = parseAllDocuments(await readFile('deploy/kubernetes.yaml', 'utf8'));
    const { spec } = documents
      .map((one) => one.toJS() as Deployment)
      .find(({ kind }) => kind === 'Deployment')!;
    const [file = '', ...args] = spec.template.spec.containers[0].lifecycle.preStop.exec.command;
    const env = { PATH: `${bin.path}${delimiter}${process.env['PATH']}`, GATEWAY_PORT: port };
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { said, code: code as number };
  }

  it('is drained and still accepts; the only one is not, and goes all the same', async () => {
    await using database = await suite.server.database();
    using bin = new ConfigDirectory();
    using directory = new ConfigDirectory();
    directory.write('gateway.json5', {
      gateway: { auth: { token: 'operator-token-of-good-length' } },
      hooks: { enabled: true, token: HOOK_TOKEN, defaultSessionKey: 'hook:x' },
      agents: { defaults: { runner: { type: 'demo' } } },
      store: { postgres: { url: database.url } },
    });
    await using pod = await ServiceProcess.listening(directory.path);
    const { port } = new URL(pod.url);
    const isReady = async () => (await pod.ask('/health/ready')).status === 200;

    expect(await preStop(bin, directory.path, port)).toEqual({ code: 0, said: 'slept 10\n' });
    expect(await isReady()).toBe(true);

    await using other = await ServiceProcess.listening(directory.path);
    // Pods have names of their own; here both are named like this machine.
    const named = `WHERE name = '${hostname()} ${other.pid}'`;
    await ask(database.url, `UPDATE hooks.instances SET name = 'another-pod 1' ${named}`);
    const { code, said } = await preStop(bin, directory.path, port);
    expect(code).toBe(0);
    expect(said).toMatch(/starts no more work[^]*slept 10\n$/);
    await eventually('it is not ready', async () => !(await isReady()));
    const body = { text: 'still accepted', mode: 'next-heartbeat' };
    expect(await pod.ask('/hooks/wake', { token: HOOK_TOKEN, body })).toMatchObject({
      status: 200,
    });
  });
});
