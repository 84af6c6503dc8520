import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import JSON5 from 'json5';
import { SENDERS_DIR } from '../../hooks/index.ts';
import type { Problem } from '../../hooks/index.ts';
import { isRecord } from '../../platform/objects.ts';
import {
  asWritten,
  fragmentFile,
  fragmentsWrittenAt,
  readFragments,
  readText,
} from './fragments.ts';
import type { Fragment } from './fragments.ts';

/** With it, or with any fragment, the service is configured; without both it is the demo. */
export const GATEWAY_FILE = 'gateway.json5';
export const DOTENV_FILE = '.env';

/** The text of every file of a configuration; undefined for one that does not exist. */
export interface ConfigurationFiles {
  readonly gateway: string | undefined;
  readonly dotenv: string | undefined;
  /** In the order of merging. Default: none. */
  readonly fragments?: readonly Fragment[];
  /** Of the operator's senders; the hooks read them themselves. Default: none. */
  readonly senders?: readonly Fragment[];
}

export type Sections = Readonly<Record<string, unknown>>;

export function sectionFiles({ gateway, fragments = [] }: ConfigurationFiles): readonly Fragment[] {
  return gateway === undefined ? fragments : [{ file: GATEWAY_FILE, text: gateway }, ...fragments];
}

/** @throws ConfigurationError when a file exists and cannot be read. */
export function readConfigurationFiles(dir: string): ConfigurationFiles {
  return {
    gateway: readText(dir, GATEWAY_FILE),
    dotenv: readText(dir, DOTENV_FILE),
    fragments: readFragments(dir),
    senders: readSenders(dir),
  };
}

/** The files whose text is not the same in both, those that only one has among them. */
export function changedFiles(before: ConfigurationFiles, after: ConfigurationFiles): string[] {
  const [old, now] = [textsOf(before), textsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (file) => old.get(file) !== now.get(file),
  );
}

function textsOf(files: ConfigurationFiles): ReadonlyMap<string, string | undefined> {
  const all = [...sectionFiles(files), ...(files.senders ?? [])];
  const texts = new Map<string, string | undefined>(all.map(({ file, text }) => [file, text]));
  return texts.set(DOTENV_FILE, files.dotenv);
}

/** When the files were last written: equal as long as none is written, replaced or removed. Never throws. */
export function writtenAt(dir: string): string {
  try {
    const times = [GATEWAY_FILE, DOTENV_FILE].map(
      (name) => statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs,
    );
    const senders = senderFiles(dir).map((file) => statSync(join(dir, file)).mtimeMs);
    return [...times, fragmentsWrittenAt(dir), ...senders].join(' ');
  } catch (error) {
    // Links in a circle, or into a directory that this user may not read.
    return String(error);
  }
}

/** A syntax error is a problem that names line and column. @param file what problems call it */
export function parseSections(
  text: string,
  file = GATEWAY_FILE,
): { sections: Sections; problems: Problem[] } {
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (error) {
    return { sections: {}, problems: [syntaxProblem(error, file)] };
  }
  if (isRecord(value)) return withoutSchema(value, file);
  return { sections: {}, problems: [{ key: file, message: 'must be one object: { … }' }] };
}

/** What the fragment `name` says; undefined when it is not there. */
export function fragmentSections(
  { fragments = [] }: ConfigurationFiles,
  name: string,
): Sections | undefined {
  const own = fragments.find(({ file }) => file === fragmentFile(name));
  return own && parseSections(own.text, own.file).sections;
}

/** The files as they would be with that fragment, in the order in which they are read. @param data as for `writeFragment`; undefined: without it */
export function withFragment(
  files: ConfigurationFiles,
  name: string,
  data: Readonly<Record<string, unknown>> | undefined,
): ConfigurationFiles {
  const file = fragmentFile(name);
  const others = (files.fragments ?? []).filter((one) => one.file !== file);
  const own = data === undefined ? [] : [{ file, text: JSON5.stringify(asWritten(data)) }];
  const fragments = [...others, ...own].toSorted((a, b) =>
    Buffer.compare(Buffer.from(a.file), Buffer.from(b.file)),
  );
  return { ...files, fragments };
}

/** `$schema` tells editors where the JSON Schema is; it is no section. */
function withoutSchema(
  { $schema, ...sections }: Sections,
  file: string,
): { sections: Sections; problems: Problem[] } {
  if ($schema === undefined || typeof $schema === 'string') return { sections, problems: [] };
  const key = file === GATEWAY_FILE ? '$schema' : `${file}: $schema`;
  return { sections, problems: [{ key, message: 'must be the address of a schema' }] };
}

function syntaxProblem(error: unknown, file: string): Problem {
  const text = error instanceof Error ? error.message : String(error);
  const [, line, column] = / at (\d+):(\d+)$/.exec(text) ?? [];
  const what = text.replace(/^JSON5: /, '').replace(/ at \d+:\d+$/, '');
  const where = line === undefined ? '' : `line ${line}, column ${column}: `;
  return { key: file, message: `is not valid JSON5 (${where}${what}); correct it there` };
}

/** Read to notice that one is written; what is wrong with one is found where it is read to be used. */
function readSenders(dir: string): Fragment[] {
  return senderFiles(dir).map((file) => ({ file, text: readText(dir, file) ?? '' }));
}

function senderFiles(dir: string): string[] {
  return globSync(join(SENDERS_DIR, '*', '*.json5'), { cwd: dir }).toSorted();
}
