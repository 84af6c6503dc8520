import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../support/config-directory.ts';
import { atLast } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { PATH } from './programs.ts';

const TOKEN = 'a-token-of-the-other-gateway';

interface Documented {
  readonly gateway: object;
}

export class OpenClaw implements AsyncDisposable {
  readonly token = TOKEN;
  readonly #dir = new ConfigDirectory();
  #child: ChildProcess | undefined;
  #output = '';
  port = 0;

  /** @param modelUrl a server that speaks chat completions */
  async start(documented: Documented, modelUrl: string): Promise<void> {
    this.port = await freePort();
    mkdirSync(join(this.#home, '.openclaw'), { recursive: true });
    const auth = { mode: 'token', token: TOKEN };
    const local = { mode: 'local', bind: 'loopback', port: this.port, auth };
    const model = { id: 'test-model', name: 'test-model' };
    const provider = { baseUrl: `${modelUrl}/v1`, apiKey: 'k-of-openclaw', models: [model] };
    const defaults = {
      model: { primary: 'local/test-model' },
      workspace: join(this.#dir.path, 'workspace'),
      skipBootstrap: true,
    };
    const configuration = {
      gateway: { ...documented.gateway, ...local, controlUi: { enabled: false } },
      models: { providers: { local: { ...provider, api: 'openai-completions' } } },
      agents: { defaults },
      plugins: { enabled: false },
      cron: { enabled: false },
      update: { checkOnStart: false },
    };
    writeFileSync(join(this.#home, '.openclaw/openclaw.json'), JSON.stringify(configuration));
    // As its docs/gateway/embedding.md advises those who start it from a program.
    const quiet = {
      OPENCLAW_DISABLE_BONJOUR: '1',
      OPENCLAW_NO_RESPAWN: '1',
      OPENCLAW_SKIP_CHANNELS: '1',
    };
    const child = spawn('openclaw', ['gateway', 'run'], {
      cwd: this.#dir.path,
      env: { PATH, HOME: this.#home, TMPDIR: this.#dir.path, ...quiet },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (this.#output += String(chunk)));
    }
    await atLast('OpenClaw answers', () => this.#isUp());
  }

  async #isUp(): Promise<boolean> {
    if (this.#child?.exitCode !== null) throw new Error(`OpenClaw ended: ${this.#output}`);
    const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok === true;
  }

  get #home(): string {
    return join(this.#dir.path, 'home');
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kill();
    this.#dir[Symbol.dispose]();
  }
}
