import type { Check, DoctorContext, NamedResult } from '../../src/cli/doctor/check.ts';
import { CliError } from '../../src/cli/cli-error.ts';
import { runChecks } from '../../src/cli/doctor/run-checks.ts';
import { inspectConfiguration } from '../../src/service/index.ts';
import { ConfigDirectory } from './config-directory.ts';

/** A random token as good as any. */
export const GOOD_TOKEN = 'q7Xw2Lr9ZkT4mBv8YcN1sHd6';

/** A configuration directory with what one check finds in it. */
export class DoctorDirectory extends ConfigDirectory {
  /** Servers that do not answer, and why; all others do. */
  silent: Readonly<Record<string, string>> = {};
  /** What a mailbox answers to a login. */
  tryMail: DoctorContext['tryMail'] = () => Promise.reject(new Error('no mailbox in this test'));
  /** How the database of the ledger is found. */
  tryDatabase: DoctorContext['tryDatabase'] = () => Promise.reject(new Error('no database here'));
  /** What servers answer to questions about settings: nothing is wrong. */
  askMistake: DoctorContext['askMistake'] = () => Promise.resolve(null);
  /** What the running service says that it needs; it does not answer otherwise. */
  askAttention: DoctorContext['askAttention'] = () =>
    Promise.reject(new CliError('no service', 'x', 3));
  /** What was asked whether it is there. */
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

  /** `gateway.json5` with hooks that are on. */
  configure(sections: Readonly<Record<string, object>> = {}): this {
    const hooks = { enabled: true, token: GOOD_TOKEN, ...sections['hooks'] };
    const agents = { defaults: { model: 'auto' } };
    return this.write('gateway.json5', { agents, ...sections, hooks });
  }
}
