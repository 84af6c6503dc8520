import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../hooks/index.ts';
import { errorCode } from './error-code.ts';

/** The file that makes the difference between a configured service and the demo. */
export const GATEWAY_FILE = 'gateway.json5';
export const DOTENV_FILE = '.env';

/** The text of both files; undefined for one that does not exist. */
export interface ConfigurationFiles {
  readonly gateway: string | undefined;
  readonly dotenv: string | undefined;
}

/** @throws ConfigurationError when a file exists and cannot be read. */
export function readConfigurationFiles(dir: string): ConfigurationFiles {
  return { gateway: textOf(dir, GATEWAY_FILE), dotenv: textOf(dir, DOTENV_FILE) };
}

/** When both files were last written: equal as long as neither is written, replaced or removed. */
export function writtenAt(dir: string): string {
  const times = [GATEWAY_FILE, DOTENV_FILE].map(
    (name) => statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs,
  );
  return times.join(' ');
}

function textOf(dir: string, name: string): string | undefined {
  try {
    return readFileSync(join(dir, name), 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    const message = `cannot be read (${code}); make it a file that this user may read`;
    throw new ConfigurationError([{ key: name, message }]);
  }
}
