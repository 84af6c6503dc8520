// `hooks setup`: from nothing to the first reply, or one piece of it: the model, the channel, one sender. Nobody's file is
// edited, and calling it again is harmless.
import { nearestKey } from '../../hooks/index.ts';
import type { Preset, Senders } from '../../hooks/index.ts';
import { presetsOf, proofKind, schemeOf, senderName } from '../../service/index.ts';
import type { ProofKind } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { assertFlagsFit } from '../senders/handshake-secret.ts';
import { SECRET_OPTIONS } from '../senders/sender-secrets.ts';
import { SenderSetup } from '../senders/sender-setup.ts';
import { presentSender } from '../senders/setup-plan.ts';
import { GuidedSetup } from '../setup/guide.ts';
import { Interruption } from '../terminal.ts';

const GUIDE_OPTIONS = [
  option(
    '--model <model>',
    'who answers: <provider>[/<model>] (ollama, openai, anthropic, google, compatible) or demo',
  ),
  option('--model-url <url>', 'where that provider is, if not at its own address'),
  option('--model-key-env <name>', 'variable that holds its API key (default: OPENAI_API_KEY …)'),
  option(
    '--channel <platform>',
    'where replies go: telegram, slack, discord, mattermost, webhook or none',
  ),
  option(
    '--channel-token-env <name>',
    "variable that holds the bot's token (default: TELEGRAM_TOKEN …)",
  ),
  option(
    '--channel-url <url>',
    'where the platform is, if not at its own address; the address of a webhook',
  ),
  option('--to <recipient>', 'who gets the replies (default: found at the platform)'),
  option('--sender <preset>', 'who sends events, or none'),
  option('--repository <owner/name>', 'github: make the webhook there'),
  option(
    '--github-token-env <name>',
    'variable that holds a token which may do that (default: GITHUB_TOKEN)',
  ),
  option('--github-url <url>', "GitHub's API, if not https://api.github.com"),
  option('-y, --yes', 'install missing packages without asking'),
  option('--list', 'list the presets'),
] as const;

const OPTIONS = [
  option(
    '--url <url>',
    'where the sender reaches the service, e.g. https://hooks.example.org (default: hooks.publicUrl)',
  ),
  ...SECRET_OPTIONS,
  option('--secret-stdin', 'read the secret from stdin'),
  option('--rotate', 'a new secret or token; the old ones go on counting beside it'),
  option('--retire-old', 'of its secrets, let only the newest count from now on'),
  option(
    '--accept',
    'put the secret in force that came by handshake and was shown (asana, notion)',
  ),
  option('--discard', 'forget the secret that came by handshake, and wait for none'),
  option('--dry-run', 'show what would be written, and write nothing'),
  ...GUIDE_OPTIONS,
  JSON_OPTION,
] as const;

type SetupOptions = OptionValues<typeof OPTIONS>;

/**
 * Alone it asks for model, channel and sender, tries each, and ends with the reply to a sample. With the name of a preset
 * it enables that one and says step by step what to enter at its sender.
 */
export const setup = defineCommand({
  name: 'setup',
  description: 'connect a model, a channel and a sender, and try them',
  arguments: [
    ['[preset]', 'a sender (github, stripe, grafana …), or model, or channel; none: all of it'],
    ['[platform]', 'of channel: telegram, slack, discord, mattermost or webhook'],
  ],
  options: OPTIONS,
  examples: [
    ['hooks setup', 'ask for model, channel and sender, and wait for the first reply'],
    ['hooks setup model --model ollama', 'let another model answer'],
    ['hooks setup channel telegram', 'find the chat that gets the replies'],
    [
      'hooks setup github --url https://hooks.example.org',
      'make a secret, write gateway.d/github.json5, and say what to enter at GitHub',
    ],
    ['hooks setup stripe', 'say what to do there, and ask for the secret that Stripe makes'],
    [
      'hooks setup stripe --secret-env STRIPE_SECRET',
      'ask for nothing; the secret stays in its variable',
    ],
    ['hooks setup github --rotate', 'a second secret, to replace the first without a lost event'],
    ['hooks setup github --retire-old', 'once GitHub signs with it, end the first'],
    ['hooks setup asana', 'wait for the secret that Asana sends, and show where it came from'],
    ['hooks setup asana --accept', 'put that secret in force'],
    [
      'hooks setup --model openai --channel telegram --to 4711 --sender github --url https://hooks.example.org --yes',
      'ask for nothing; keys come from the environment',
    ],
    ['hooks setup --list', 'list the presets'],
  ],
  async action(context, options, name?: string, platform?: string) {
    const { terminal } = context;
    if (options.list === true) return listPresets(context, options.json === true);
    if (name === undefined || name === 'model' || name === 'channel') {
      const isTold = GUIDED.some((flag) => options[flag] !== undefined);
      if (
        name === undefined &&
        !isTold &&
        (terminal.prompts === undefined || options.json === true)
      ) {
        return listPresets(context, options.json === true);
      }
      using interruption = new Interruption();
      const flags = platform === undefined ? options : { ...options, channel: platform };
      const guide = new GuidedSetup(context, flags, interruption);
      return await guide.run(name);
    }
    return setUpSender(context, options, name);
  },
});

/** Flags of which one is enough to be guided without a terminal. */
const GUIDED = ['model', 'channel', 'sender'] as const;

async function setUpSender(
  context: CommandContext,
  options: SetupOptions,
  name: string,
): Promise<void> {
  const here = await context.inspect();
  const preset = findNamed(name, presetsOf(here.resolved?.effective));
  if (options.rotate === true && options.retireOld === true) {
    throw new CliError('--rotate and --retire-old do not go together.', undefined, EXIT.usage);
  }
  assertFlagsFit(preset, schemeOf(preset, here.resolved?.effective), options);
  if (!here.isDemo && here.problems.length > 0) {
    throw new CliError('the current configuration has problems', 'see "hooks config check"');
  }
  const present = await presentSender(preset, here, context.env);
  const document = await new SenderSetup(context, options, preset, here, present).run();
  if (document !== undefined) context.terminal.printJson(document);
}

/** It has a command, and a fragment of that name, of its own. */
const MAIL = 'mail';

/** @throws CliError for a name that is none, and for mail, which has a command of its own */
function findNamed(name: string, presets: Senders['presets']): Preset {
  const preset = presets.get(name);
  if (preset?.id === MAIL) {
    throw new CliError('A mailbox has a setup of its own.', 'Run: hooks mail setup', EXIT.usage);
  }
  if (preset !== undefined) return preset;
  const nearest = nearestKey(name, [...presets.keys()]);
  const hint =
    nearest === undefined ? 'See which there are: hooks setup --list' : `Is it ${nearest}?`;
  throw new CliError(`There is no preset ${asLine(name)}.`, hint, EXIT.usage);
}

async function listPresets({ inspect, terminal }: CommandContext, asJson: boolean): Promise<void> {
  const here = await inspect();
  const enabled = new Set(here.resolved?.effective.hooks.presets);
  const rows = [...presetsOf(here.resolved?.effective).values()].map((preset) => ({
    id: preset.id,
    sender: senderName(preset),
    proof: preset.id === MAIL ? 'see "hooks mail setup"' : PROOFS[proofKind(preset)],
    isEnabled: enabled.has(preset.id),
  }));
  if (asJson) return terminal.printJson({ presets: rows });
  const cells = rows.map(({ id, sender, proof, isEnabled }) => [
    id,
    sender,
    proof,
    isEnabled ? 'yes' : 'no',
  ]);
  terminal.printTable([['PRESET', 'SENDER', 'PROVES ITSELF BY', 'ENABLED'], ...cells]);
}

const PROOFS: Readonly<Record<ProofKind, string>> = {
  token: 'a token of ours',
  'own-secret': 'a secret that we make',
  'their-secret': 'a secret that it makes',
};
