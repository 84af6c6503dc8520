import type { ResolvedHooksOptions } from '../../hooks/index.ts';
import { CannotSign, signPost } from '../../service/index.ts';
import type { HookPost, Unsigned } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import type { ServiceClient } from '../service/service-client.ts';

/** What a request to a service is signed with. */
export interface ServiceSigning {
  readonly settings: ResolvedHooksOptions;
  readonly service: Pick<ServiceClient, 'url' | 'hooksPath' | 'isOwn'>;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/**
 * A request as its path wants it proved ({@link signPost}).
 * @throws CliError where nobody but the sender can sign, or the secret would leave the machine
 */
export function signFor(post: HookPost, { settings, service, now }: ServiceSigning): HookPost {
  const base = (settings.hooks.publicUrl ?? service.url.href).replace(/\/+$/, '');
  const address = `${base}${service.hooksPath}`;
  try {
    return signPost(post, { settings, address, maySecretLeave: service.isOwn, now });
  } catch (error) {
    throw error instanceof CannotSign ? asCliError(error) : error;
  }
}

function asCliError({ why, sender, message }: CannotSign): CliError {
  const [what, hint] = EXPLAINED[why](sender, message);
  return new CliError(what, hint, EXIT.usage);
}

const EXPLAINED: Readonly<
  Record<Unsigned, (sender: string, message: string) => readonly [what: string, hint: string]>
> = {
  'secret-leaves': () => [
    'The secrets of this configuration are not sent to another machine.',
    'Send it on the machine of the service.',
  ],
  'only-sender': (sender) => [
    `Only ${sender} itself can sign: what the configuration has can only check it.`,
    'Look at what would become of it: hooks preview, with the same hook and payload or sample',
  ],
  unfit: (sender, message) => [
    `It cannot be signed as ${sender} does: ${asLine(message)}.`,
    'Send what this sender sends; hooks send, with its preset, lists samples',
  ],
};
