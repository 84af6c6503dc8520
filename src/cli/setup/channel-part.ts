import {
  DEFAULT_PROVIDERS,
  Written,
  findAddress,
  fragmentFile,
  newToken,
  tokenQuestion,
} from '../../service/index.ts';
import type { ChannelProviderName } from '../../service/index.ts';
import { isRecord } from '../../platform/objects.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asShortLine } from '../foreign-text.ts';
import { PLATFORMS, askName } from './platforms.ts';
import type { Platform, Recipient } from './platforms.ts';
import { findSecret, findUrl, needAnswer } from './setup-part.ts';
import type { PartContext, SetupPart } from './setup-part.ts';

// Whom a bot writes to is found by asking the platform, since nobody knows the number of a chat.

export interface ChannelFlags {
  /** A platform, or `none`. */
  readonly channel?: string;
  readonly channelTokenEnv?: string;
  /** Where the platform is, if it has no public place or not that one; of `webhook`: where replies are posted. */
  readonly channelUrl?: string;
  readonly to?: string;
}

const NONE = 'none';
const WEBHOOK = 'webhook';

/** @returns undefined where replies are to stay in their sessions. @throws CliError with what to do */
export async function findChannel(
  context: PartContext,
  flags: ChannelFlags,
): Promise<SetupPart | undefined> {
  const name = flags.channel ?? (await choosePlatform(context));
  if (name === NONE) return undefined;
  if (name === WEBHOOK) return ownWebhook(context, flags);
  const platform = Object.entries(PLATFORMS).find(([known]) => known === name)?.[1];
  if (platform === undefined) {
    const known = [...Object.keys(PLATFORMS), WEBHOOK, NONE].join(', ');
    const hint = 'The others are set up by hand: docs/channels.md';
    throw new CliError(`--channel must be one of ${known}.`, hint, EXIT.usage);
  }
  return ofPlatform(context, flags, platform);
}

export function hasChannel({ here }: Pick<PartContext, 'here'>): boolean {
  const { channels } = here.sections;
  return isRecord(channels) && Object.keys(channels).some((key) => key.startsWith('chan_'));
}

async function choosePlatform({ prompts }: PartContext): Promise<string> {
  if (prompts === undefined) throw needAnswer('The channel', '--channel');
  return prompts.select('Where do replies go?', [
    ...Object.entries(PLATFORMS).map(([value, { label }]) => ({ value, label })),
    { value: WEBHOOK, label: 'a webhook of your own' },
    { value: NONE, label: 'nowhere yet: they stay in their sessions' },
  ]);
}

async function ofPlatform(
  context: PartContext,
  { channelTokenEnv: given, channelUrl, to: named }: ChannelFlags,
  platform: Platform,
): Promise<SetupPart> {
  const { terminal } = context;
  const { provider, label } = platform;
  const usual = findAddress(provider, {});
  const root = await findUrl(context, {
    what: `The address of ${label}`,
    flag: '--channel-url',
    given: channelUrl ?? usual,
    message: `Where is ${label}? (https://chat.example.org)`,
  });
  const token = await findSecret(context, {
    what: `The bot token of ${label}`,
    where: platform.where,
    flag: '--channel-token-env',
    given,
    usual: platform.variable,
  });
  const question = tokenQuestion(provider, { token: token.value, apiRoot: root });
  if (question === undefined) throw new TypeError(`${provider} has no question for its token`);
  const { headers } = question;
  const api = { label, root, token: token.value, headers, terminal, signal: context.signal };
  const bot = await askName(platform, api, question);
  terminal.note(`${label} knows the token: ${asShortLine(bot, 60)}`);
  const recipient =
    named === undefined
      ? await chooseRecipient(context, await platform.recipients(api, bot))
      : named;
  const settings = {
    ...(root !== usual && { apiRoot: root }),
    token: new Written(`\${${token.variable}}`),
    to: recipient,
  };
  return planned(
    context,
    provider,
    settings,
    token.variables,
    `${label} will get replies at ${recipient}`,
  );
}

/** Names come from the platform, and are foreign text. */
async function chooseRecipient(
  { prompts }: PartContext,
  found: readonly Recipient[],
): Promise<string> {
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only.to;
  if (prompts === undefined) {
    const known = found.slice(0, 20).map(({ to, name }) => `${asShortLine(name, 40)} is ${to}`);
    throw new CliError(
      'Who gets the replies is missing: say it with --to.',
      known.length === 0 ? 'docs/channels.md says where the id stands' : known.join('\n  '),
      EXIT.usage,
    );
  }
  if (found.length === 0) {
    const validate = (text: string): string | undefined => (text === '' ? 'Type it' : undefined);
    return prompts.text({ message: 'The id of the conversation (docs/channels.md)', validate });
  }
  const choices = found.map(({ to, name }) => ({ value: to, label: asShortLine(name, 60) }));
  return prompts.select('Which conversation?', choices);
}

/** It needs no bot: we make the secret that its receiver checks. */
async function ownWebhook(
  context: PartContext,
  { channelUrl, to = 'me' }: ChannelFlags,
): Promise<SetupPart> {
  const { terminal, here } = context;
  const url = await findUrl(context, {
    what: 'The address of the webhook',
    flag: '--channel-url',
    given: channelUrl,
    message: 'Where are replies posted? (https://…)',
  });
  const variable = 'WEBHOOK_SECRET';
  // Whoever checks it has the one that is there.
  const secret =
    here.env[variable] ?? `whsec_${Buffer.from(newToken(), 'base64url').toString('base64')}`;
  terminal.note(`It is signed by Standard Webhooks with the secret in ${variable} of .env.`);
  const settings = { url, secrets: [new Written(`\${${variable}}`)], to };
  return planned(
    context,
    WEBHOOK,
    settings,
    { [variable]: secret },
    'the webhook will get replies',
  );
}

/** @throws CliError where another file has that channel: what it says would be mixed with this */
function planned(
  { here }: PartContext,
  provider: ChannelProviderName,
  settings: Readonly<Record<string, unknown>>,
  variables: SetupPart['variables'],
  found: string,
): SetupPart {
  const own = Object.entries(DEFAULT_PROVIDERS).find(([, usual]) => usual === provider)?.[0];
  const id = own ?? 'chan_1';
  const name = `channel-${provider}`;
  const [file] = here.merged
    .writersOf(`channels.${id}`)
    .filter((one) => one !== fragmentFile(name));
  if (file !== undefined) {
    throw new CliError(
      `nothing was changed: ${file} has channels.${id} already`,
      'your own files are not edited: change it there, or remove it and run the command again',
    );
  }
  const sections = { channels: { [id]: own === undefined ? { provider, ...settings } : settings } };
  const fragment = { name, sections, shown: sections };
  return {
    fragment: { ...fragment, command: `hooks setup channel ${provider}` },
    variables,
    found,
  };
}
