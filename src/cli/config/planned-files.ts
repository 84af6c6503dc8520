import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import JSON5 from 'json5';
import { errorCode } from '../../platform/errors.ts';
import {
  DOTENV_FILE,
  GATEWAY_FILE,
  MASK,
  asWritten,
  fragmentFile,
  fragmentSections,
  inspectConfiguration,
  literal,
  newToken,
  withFragment,
  withVariables,
  writeDotenv,
  writeFragment,
} from '../../service/index.ts';
import type {
  ConfigurationFiles,
  Environment,
  Inspection,
  FragmentPlan,
  Sections,
  Variables,
} from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { asLines } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';

/*
 * The user's own files are never edited: a command replaces fragments of its own as a whole, and makes a gateway.json5
 * only where there is none. Secrets of a model or a channel are lines of .env.
 */

interface NewGateway {
  readonly text: string;
  /** The same without a secret. */
  readonly shown: string;
}

export interface PlannedFragment extends FragmentPlan {
  readonly sections: Sections;
  /** The same without a secret. */
  readonly shown: Sections;
}

export class PlannedFiles {
  /** @param gateway undefined: there is one, or none is to be made. */
  constructor(
    readonly dir: string,
    private readonly before: ConfigurationFiles,
    private readonly fragments: readonly PlannedFragment[],
    private readonly gateway: NewGateway | undefined,
    private readonly variables: Variables = {},
  ) {}

  get isChange(): boolean {
    const isNews = ({ name, sections }: PlannedFragment): boolean =>
      !isDeepStrictEqual(fragmentSections(this.before, name) ?? {}, asWritten(sections));
    return this.gateway !== undefined || this.#dotenv !== undefined || this.fragments.some(isNews);
  }

  inspect(env: Environment): Promise<Inspection> {
    const { gateway = this.before.gateway } = { gateway: this.gateway?.text };
    const { dotenv = this.before.dotenv } = { dotenv: this.#dotenv };
    const files = this.fragments.reduce(
      (before, { name, sections }) => withFragment(before, name, sections),
      { ...this.before, gateway, dotenv },
    );
    return inspectConfiguration(this.dir, env, files);
  }

  get names(): string[] {
    return [
      ...(this.#dotenv === undefined ? [] : [DOTENV_FILE]),
      ...(this.gateway === undefined ? [] : [GATEWAY_FILE]),
      ...this.fragments.map(({ name }) => fragmentFile(name)),
    ];
  }

  /** JSON5 texts without secrets; null for a gateway.json5 that is not written. */
  get shown(): { gateway: string | null; fragment: string } {
    const fragment = this.fragments.map(({ shown }) => toJson5(shown)).join('\n');
    return { gateway: this.gateway?.shown ?? null, fragment };
  }

  show(terminal: Terminal): void {
    if (this.gateway !== undefined) {
      print(`${GATEWAY_FILE} (new, mode 0600)`, this.gateway.shown, terminal);
    }
    for (const { name, shown } of this.fragments) {
      print(`${fragmentFile(name)} (mode 0600)`, toJson5(shown), terminal);
    }
  }

  /**
   * Writes them, with mode 0600. Each means nothing without those before it: the variables, gateway.json5, the
   * fragments.
   * @throws CliError when there is a gateway.json5 by now; nothing but variables is written then.
   */
  write(): void {
    if (this.#dotenv !== undefined) writeDotenv(this.dir, this.#dotenv);
    if (this.gateway !== undefined) createFile(join(this.dir, GATEWAY_FILE), this.gateway.text);
    for (const { name, sections, command, keepsKeys } of this.fragments) {
      writeFragment(this.dir, name, sections, command, keepsKeys);
    }
  }

  get #dotenv(): string | undefined {
    const { dotenv } = this.before;
    if (Object.keys(this.variables).length === 0) return undefined;
    const next = withVariables(dotenv, this.variables);
    return next === dotenv ? undefined : next;
  }
}

function toJson5(sections: Sections): string {
  return JSON5.stringify(sections, { space: 2, quote: "'" });
}

/** The key of a problem without the file that stands before it once there are fragments: `hooks.path`. */
export function keyWithoutFile(key: string): string {
  return key.replace(/^gateway\.(?:json5|d\/.*?\.json5)(?: and gateway\.d\/.*?\.json5)*: /, '');
}

function print(title: string, text: string, terminal: Terminal): void {
  terminal.print(terminal.style('bold', title));
  for (const line of asLines(text.trimEnd())) terminal.print(terminal.style('green', `+ ${line}`));
}

function createFile(path: string, text: string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new CliError(
      `${GATEWAY_FILE} was made by another program meanwhile; run the command again`,
    );
  }
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * The recommended configuration as the package ships it, for a directory that has none; its schema is not where this
 * is. Where no variable says the hook token, it is that of the demo, if it ran here: its senders go on being heard.
 * @param command what the file names as its author
 */
export function recommendedGateway(
  { env, demoHookToken }: Pick<Inspection, 'env' | 'demoHookToken'>,
  command: string,
): NewGateway {
  const example = readFileSync(new URL('../../../gateway.example.json5', import.meta.url), 'utf8');
  const text =
    `// Made by "${command}". docs/configuration.md has every key.\n` +
    example.replace(/^(?:\/\/.*\n)+/, '').replace(/(?: *\/\/.*\n)* *\$schema:.*\n/, '');
  if ((env['HOOK_TOKEN'] ?? '').trim() !== '') return { text, shown: text };
  const token = demoHookToken.read() ?? newToken();
  return {
    text: text.replace('${HOOK_TOKEN}', () => literal(token)),
    shown: text.replace('${HOOK_TOKEN}', MASK),
  };
}
