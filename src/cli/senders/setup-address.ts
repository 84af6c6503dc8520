import { isLoopback } from '../../hooks/index.ts';
import type { Preset } from '../../hooks/index.ts';
import { schemeOf, senderName, signsUrl } from '../../service/index.ts';
import type { Inspection } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Prompts } from '../prompts.ts';
import { givenUrl, listeningPlace } from '../service/service-place.ts';

/**
 * By the flag, else `hooks.publicUrl`, else asked, else where the service listens; without a slash at its end.
 * @throws CliError where the sender signs the address, and nobody says it
 */
export async function findBase(
  preset: Preset,
  { resolved }: Inspection,
  url: string | undefined,
  prompts: Prompts | undefined,
): Promise<string> {
  const { path: prefix = '', publicUrl } = resolved?.effective.hooks ?? {};
  if (url !== undefined) return withoutPath(url, prefix);
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const scheme = schemeOf(preset, resolved?.effective);
  const isSigned = scheme !== undefined && signsUrl(scheme);
  const name = senderName(preset);
  const answer = await prompts?.text({
    message: `Where does ${name} reach this service? https://…${isSigned ? '' : ' (empty: on this machine)'}`,
    validate: (text) => (text === '' && !isSigned ? undefined : findMistake(text)),
  });
  if (answer !== undefined && answer !== '') return withoutPath(answer, prefix);
  if (isSigned || resolved === undefined) {
    throw new CliError(
      `${name} signs the address that it sends to.`,
      'Say where it reaches the service with --url https://…',
      EXIT.usage,
    );
  }
  const { host, port } = resolved.gateway;
  return listeningPlace({ kind: 'tcp', host, port }, 'gateway.port').url.origin;
}

export function isLocal(base: string): boolean {
  return isLoopback(new URL(base).hostname.replace(/^\[|\]$/g, ''));
}

/** People may give the address of a hook as well as that of the service. @throws CliError */
function withoutPath(text: string, prefix: string): string {
  const { origin, pathname } = givenUrl(text);
  const at = `${pathname}/`.indexOf(`${prefix}/`);
  return `${origin}${at < 0 ? pathname : pathname.slice(0, at)}`.replace(/\/+$/, '');
}

function findMistake(text: string): string | undefined {
  return /^https?:\/\/[^\s?#@]+$/.test(text) ? undefined : 'Write it as https://hooks.example.org';
}
