import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOTENV_FILE, GATEWAY_FILE, readConfigurationFiles } from '../configuration-files.ts';
import type { ConfigurationFiles } from '../configuration-files.ts';
import { inspectConfiguration } from '../inspect-configuration.ts';
import type { Inspection } from '../inspect-configuration.ts';
import type { Environment } from '../variables.ts';
import { editDotenv } from './dotenv-edit.ts';
import { EditError, editJson5 } from './json5-edit.ts';
import type { Edit } from './json5-edit.ts';
import { replaceFile } from './replace-file.ts';

/** What a command wants to change. */
export interface ConfigurationWish {
  readonly edits: readonly Edit[];
  /** Secrets by name, for `.env`; `edits` refer to them as `${NAME}`. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A change of gateway.json5 and `.env`: worked out first, looked at, and then made as a whole or not at all. */
export class ConfigurationChange {
  readonly after: ConfigurationFiles;

  /**
   * @param before the texts of both files as they were read.
   * @param template the text that a gateway.json5 begins with where there is none.
   * @throws EditError, DotenvError or SyntaxError when a file cannot be changed in this way.
   */
  constructor(
    readonly dir: string,
    readonly before: ConfigurationFiles,
    { edits, variables }: ConfigurationWish,
    template: string,
  ) {
    const dotenv = editDotenv(before.dotenv ?? '', variables);
    this.after = {
      gateway: editJson5(before.gateway ?? template, edits),
      dotenv: dotenv === '' ? before.dotenv : dotenv,
    };
  }

  get changesGateway(): boolean {
    return this.before.gateway !== this.after.gateway;
  }

  get changesDotenv(): boolean {
    return this.before.dotenv !== this.after.dotenv;
  }

  /** The configuration that this change would make, with everything that would be wrong with it. */
  inspect(env: Environment): Promise<Inspection> {
    return inspectConfiguration(this.dir, env, this.after);
  }

  /**
   * Writes what changes: `.env` first (0600), since a reference to a variable that is not there yet would be refused.
   * @throws EditError when a file is no longer what the change was worked out for; nothing is written then.
   */
  apply(): void {
    this.#expectUnchanged(GATEWAY_FILE, this.before.gateway);
    this.#expectUnchanged(DOTENV_FILE, this.before.dotenv);
    if (this.changesDotenv) this.#write(DOTENV_FILE, this.after.dotenv, 0o600);
    if (this.changesGateway) this.#write(GATEWAY_FILE, this.after.gateway);
  }

  #write(name: string, text: string | undefined, mode?: number): void {
    if (text !== undefined) replaceFile(join(this.dir, name), text, mode);
  }

  #expectUnchanged(name: string, text: string | undefined): void {
    const present = readConfigurationFiles(this.dir)[name === GATEWAY_FILE ? 'gateway' : 'dotenv'];
    if (present !== text) {
      throw new EditError(`${name} was changed by somebody else meanwhile; run the command again`);
    }
    // Bytes that are no UTF-8 would come back as something else.
    if (text !== undefined && !readFileSync(join(this.dir, name)).equals(Buffer.from(text))) {
      throw new EditError(`${name} is not UTF-8 throughout; save it as UTF-8 first`);
    }
  }
}
