import type { Check, DoctorContext, NamedResult } from '../../src/cli/doctor/check.ts';
import { CliError } from '../../src/cli/cli-error.ts';
import { runChecks } from '../../src/cli/doctor/run-checks.ts';
import { inspectConfiguration } from '../../src/service/index.ts';
import { ConfigDirectory } from './config-directory.ts';

export const GOOD_TOKEN = 'q7Xw2Lr9ZkT4mBv8YcN1sHd6';

export class DoctorDirectory extends ConfigDirectory {
  /** Servers that do not answer, and why; all others do. */
  silent: Readonly<Record<string, string>> = {};
  tryMail: DoctorContext['tryMail'] = () => Promise.reject(new Error('no mailbox in this test'));
  tryDatabase: DoctorContext['tryDatabase'] = () => Promise.reject(new Error('no database here'));
  askMistake: DoctorContext['askMistake'] = () => Promise.resolve(null);
  askAttention: DoctorContext['askAttention'] = () =>
    Promise.reject(new CliError('no service', 'x', 3));
  readonly asked: string[] = [];

  async findings(check: Check, { isOffline = false } = {}): Promise<readonly NamedResult[]> {
    const context: DoctorContext = {
      inspection: await inspectConfiguration(this.path, {}),
      env: {},
      nodeVersion: process.versions.node,
      reach: async (url) => {
        this.asked.push(url);
        return this.silent[url] ?? null;
      },
      askMistake: (question) => this.askMistake(question),
      askAttention: () => this.askAttention(),
      tryMail: async (mail) => {
        this.asked.push(mail.host);
        return this.tryMail(mail);
      },
      tryDatabase: (options) => this.tryDatabase(options),
    };
    return runChecks(context, { isOffline }, [check]);
  }

  configure(sections: Readonly<Record<string, object>> = {}): this {
    const hooks = { enabled: true, token: GOOD_TOKEN, ...sections['hooks'] };
    const agents = { defaults: { model: 'auto' } };
    return this.write('gateway.json5', { agents, ...sections, hooks });
  }
}
