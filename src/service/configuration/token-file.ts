import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from '../../hooks/index.ts';
import { errorCode } from '../../platform/errors.ts';

/** A token that nobody guesses: 32 random bytes as base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A token that the service made for itself, kept in the data directory with mode 0600. */
export class TokenFile {
  constructor(readonly path: string) {}

  /** Undefined when there is none yet. @throws ConfigurationError when the file cannot be read. */
  read(): string | undefined {
    try {
      const token = readFileSync(this.path, 'utf8').trim();
      return token === '' ? undefined : token;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw this.#unusable('read', error);
    }
  }

  /**
   * Nobody else may read it afterwards, whatever mode it had.
   * @param makesDirectory false: none is made again
   * @throws ConfigurationError
   */
  readOrCreate(makesDirectory = true): string {
    const kept = this.read();
    try {
      if (kept === undefined) {
        if (makesDirectory) mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
        return this.#create();
      }
      // A link's target may be another's; that only this user's own file is made private is enough.
      if ((statSync(this.path).mode & 0o077) !== 0) chmodSync(this.path, 0o600);
      return kept;
    } catch (error) {
      throw this.#unusable(kept === undefined ? 'written' : 'made private', error);
    }
  }

  /** A new file takes the place of an empty one: whoever has that open does not see the token. */
  #create(): string {
    const token = newToken();
    const draft = `${this.path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      writeFileSync(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(draft, this.path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    return token;
  }

  #unusable(verb: string, error: unknown): ConfigurationError {
    const message = `must hold a writable directory: ${this.path} cannot be ${verb} (${errorCode(error)})`;
    return new ConfigurationError([{ key: 'store.dir', message }]);
  }
}
