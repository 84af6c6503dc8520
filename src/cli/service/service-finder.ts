import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ConfigurationError, normalizePrefix } from '../../hooks/index.ts';
import { errorCode } from '../../standalone/error-code.ts';
import type { Inspection } from '../../standalone/inspect-configuration.ts';
import type { ResolvedSections } from '../../standalone/resolve-configuration.ts';
import type { Surroundings } from '../../standalone/start.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import { InjectSurroundings, inspectHere } from '../surroundings.ts';
import { givenUrl, isOwnService, listeningUrl } from './service-address.ts';
import { ServiceClient } from './service-client.ts';

/** What a command line may say about the service; all else is in its configuration. */
export interface ServiceChoice {
  readonly url?: string;
  /** File with the operator token. */
  readonly tokenFile?: string;
  /** File with the hook token. */
  readonly hookTokenFile?: string;
}

/** Finds the running service of this configuration, and the tokens for it, without a side effect. */
@Injectable()
export class ServiceFinder {
  constructor(@InjectSurroundings() private readonly surroundings: Surroundings) {}

  /**
   * @param signal gives up whatever the client has under way.
   * @throws CliError when the configuration does not tell, or its tokens do not belong to `--url`.
   */
  async find(choice: ServiceChoice, signal?: AbortSignal): Promise<ServiceClient> {
    const inspection = await inspectHere(this.surroundings);
    const configured = configuredUrl(inspection, choice);
    const url = choice.url === undefined ? configured : givenUrl(choice.url);
    if (url === null) throw new ConfigurationError(inspection.problems);
    const isOwn = isOwnService(url, configured);
    const { tokenFile, hookTokenFile } = choice;
    const address = {
      url,
      operatorToken: this.#fileToken(tokenFile) ?? operatorToken(inspection, isOwn),
      hookToken: this.#fileToken(hookTokenFile) ?? (isOwn ? hookToken(inspection) : undefined),
      hooksPath: normalizePrefix(inspection.resolved?.hooks.path ?? ''),
    };
    return new ServiceClient(address, signal);
  }

  #fileToken(name: string | undefined): string | undefined {
    if (name === undefined) return undefined;
    const path = resolve(this.surroundings.cwd, name);
    try {
      const token = readFileSync(path, 'utf8').trim();
      if (/^[!-~]+$/.test(token)) return token;
    } catch (error) {
      throw new CliError(
        `${asLine(path)} cannot be read (${errorCode(error)}).`,
        undefined,
        EXIT.usage,
      );
    }
    throw new CliError(
      `${asLine(path)} does not hold one token.`,
      'Write the token and nothing else.',
      EXIT.usage,
    );
  }
}

/** Null: it does not tell, and nobody asks. @throws CliError, ConfigurationError */
function configuredUrl({ resolved, problems }: Inspection, { url }: ServiceChoice): URL | null {
  const isSound = !problems.some(({ key }) => /^gateway\b|^GATEWAY_/.test(key));
  if (resolved !== undefined && isSound && (url === undefined || resolved.gateway.port !== 0)) {
    return listeningUrl(resolved.gateway);
  }
  return null;
}

function operatorToken({ resolved, problems }: Inspection, isOwn: boolean): string {
  if (!isOwn) {
    throw new CliError(
      'The tokens of this configuration are not sent to another machine.',
      'Put the operator token of that service into a file of mode 0600 and name it with --token-file.',
      EXIT.usage,
    );
  }
  if (resolved === undefined) throw new ConfigurationError(problems);
  const token = ownToken(resolved);
  if (token !== undefined) return token;
  throw new CliError(
    'There is no operator token yet: the service was never started with this configuration.',
    'Start it with: hooks start. Or set GATEWAY_CONFIG_DIR to the directory of the running one.',
    EXIT.unreachable,
  );
}

function ownToken({ gateway, operatorTokenFile }: ResolvedSections): string | undefined {
  const configured = gateway.auth?.token?.trim();
  return configured === undefined || configured === '' ? operatorTokenFile.read() : configured;
}

function hookToken({ resolved, isDemo, demoHookToken }: Inspection): string | undefined {
  if (isDemo) return demoHookToken.read();
  const token = resolved?.hooks.token;
  return typeof token === 'string' && token.trim() !== '' ? token : undefined;
}
