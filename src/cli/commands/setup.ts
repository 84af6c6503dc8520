// `hooks setup github`: everything between "I want GitHub's events" and the first one that arrives. It finds out what is
// here, makes or asks for a secret, writes one fragment of its own (gateway.d/github.json5) and prints the steps at the
// sender. Nobody's file is edited, and calling it again is harmless.
import { parseEnv } from 'node:util';
import { nearestKey } from '../../hooks/index.ts';
import type { Preset, Senders, SignatureScheme } from '../../hooks/index.ts';
import {
  MASK,
  presetsOf,
  proofKind,
  schemeOf,
  senderName,
  senderPath,
} from '../../service/index.ts';
import type { Environment, Inspection, ProofKind } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import type { PlannedFiles } from '../config/planned-files.ts';
import { assertNoProblems, noteWarnings } from '../config/problem-lines.ts';
import { asLine } from '../foreign-text.ts';
import { Prompts } from '../prompts.ts';
import {
  HandshakeSecret,
  arrivesByHandshake,
  assertFlagsFit,
} from '../senders/handshake-secret.ts';
import {
  SECRET_OPTIONS,
  askSecret,
  decideSecrets,
  readGivenSecret,
  readSecret,
} from '../senders/sender-secrets.ts';
import type { GivenSecret } from '../senders/sender-secrets.ts';
import { giveToken } from '../senders/sender-tokens.ts';
import type { GivenToken } from '../senders/sender-tokens.ts';
import { findBase, isLocal } from '../senders/setup-address.ts';
import { planSender, presentSender } from '../senders/setup-plan.ts';
import type { PresentSender } from '../senders/setup-plan.ts';
import { SetupReport } from '../senders/setup-report.ts';
import { findService } from '../service/find-service.ts';
import { Interruption } from '../terminal.ts';

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
  JSON_OPTION,
] as const;

type SetupOptions = OptionValues<typeof OPTIONS>;

/**
 * Enables a preset, makes the secret or token of its sender or asks for it, and says step by step what to enter there.
 * Called again it changes nothing and says the same, but for a token, which is kept nowhere.
 */
export const setup = defineCommand({
  name: 'setup',
  description: 'enable a preset and say what to enter at its sender',
  arguments: [['[preset]', 'its name: github, stripe, grafana …; none: list all of them']],
  options: OPTIONS,
  examples: [
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
    ['hooks setup', 'list the presets'],
  ],
  async action(context, options, name?: string) {
    if (name === undefined) return listPresets(context, options.json === true);
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
    await new SenderSetup(context, options, preset, here, present).run();
  },
});

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
  const hint = nearest === undefined ? 'See which there are: hooks setup' : `Is it ${nearest}?`;
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

/** One call of the command for one preset. */
class SenderSetup {
  readonly #path: string;
  readonly #report: SetupReport;
  /** Where somebody is there to be asked. */
  readonly #prompts: Prompts | undefined;

  constructor(
    private readonly context: CommandContext,
    private readonly options: SetupOptions,
    private readonly preset: Preset,
    private readonly here: Inspection,
    private readonly present: PresentSender,
  ) {
    this.#path = senderPath(preset, here.resolved?.effective.hooks);
    this.#report = new SetupReport(context.terminal, preset, here, this.#path);
    const isAsking = context.terminal.isInteractive && options.json !== true;
    this.#prompts = isAsking ? new Prompts(context.terminal) : undefined;
  }

  async run(): Promise<void> {
    const { options, preset, here, present } = this;
    const { terminal, env } = this.context;
    const { url, rotate = false, retireOld = false, dryRun = false, json = false } = options;
    if (options.discard === true) return (await this.#handshake()).discard();
    const base = await findBase(preset, here, url, options.accept ? undefined : this.#prompts);
    const typed = await readGivenSecret(options, terminal);
    if (this.#isAwaited && typed === undefined && !dryRun) return this.#await(base);
    const arrival = options.accept === true ? await this.#handshake() : undefined;
    const arrived = await arrival?.taken();
    const given = arrived === undefined ? typed : { value: arrived.secret };
    let isAsked = arrived !== undefined;
    const change = { given, rotate, retireOld };
    const scheme = schemeOf(preset, here.resolved?.effective);
    const secrets = await decideSecrets({ preset, scheme }, present, change, async (asked) => {
      isAsked = true;
      return this.#ask(base, asked);
    });
    const publicUrl = isLocal(base) || present.publicUrl !== undefined ? undefined : base;
    const files = planSender(preset, { secrets, publicUrl }, here);
    const isThere = present.isEnabledElsewhere && secrets === undefined && publicUrl === undefined;
    const hasNews = files.isChange && !isThere;
    const warnings = await this.#check(files);
    if (hasNews && !dryRun) files.write();
    if (!dryRun) await arrival?.forget();
    const own = await this.#giveToken();
    // A secret that is kept nowhere would be entered in vain.
    const secret = hasNews && dryRun ? MASK : this.#ownSecret(secrets, env);
    const shown = { base, secret, token: own?.token };
    const news = [
      ...(hasNews && !dryRun ? files.names : []),
      ...(own?.file === undefined ? [] : [own.file]),
    ];
    if (json) return terminal.printJson(this.#report.toJson(shown, news));
    if (hasNews && dryRun) files.show(terminal);
    if (!isAsked && !retireOld) this.#report.showSteps(shown, rotate);
    noteWarnings(warnings, terminal);
    if (dryRun) terminal.note('nothing was changed');
    else this.#report.tellFiles(news, hasNews ? this.#onlyHere(typed) : undefined);
    this.#report.tellSecrets(
      { before: present.secrets.length, now: secrets?.length ?? present.secrets.length },
      own,
    );
    this.#report.tellNext(base);
  }

  /** Whether the sender itself tells the service its secret, and has not yet. */
  get #isAwaited(): boolean {
    const { accept, rotate, retireOld } = this.options;
    const { secrets, elsewhere } = this.present;
    const hasSecret = secrets.length > 0 || elsewhere !== undefined;
    const arrives = arrivesByHandshake(schemeOf(this.preset, this.here.resolved?.effective));
    return arrives && !hasSecret && !accept && !rotate && !retireOld;
  }

  async #handshake(signal?: AbortSignal): Promise<HandshakeSecret> {
    const service = await findService(this.context, {}, signal);
    return new HandshakeSecret(this.context, service, this.preset, this.#path);
  }

  /** Has the running service take the secret, and shows it; nothing is written. */
  async #await(base: string): Promise<void> {
    using interruption = new Interruption();
    const handshake = await this.#handshake(interruption.signal);
    const window = await handshake.open();
    const shown = { base, secret: undefined, token: undefined };
    if (this.options.json === true) {
      return this.context.terminal.printJson({ ...this.#report.toJson(shown, []), window });
    }
    if (window.taken === null) this.#report.showSteps(shown);
    await handshake.waitAndShow(window);
  }

  /** Shows the steps, on whose way the person finds the secret, and asks for it. */
  #ask(base: string, scheme: SignatureScheme): Promise<string> {
    if (this.options.json !== true) {
      this.#report.showSteps({ base, secret: undefined, token: undefined });
    }
    const { secret } = scheme;
    const what = `The secret of ${senderName(this.preset)}${secret === undefined ? '' : ` (${secret})`}`;
    const hint = 'Nothing was written. Give it with --secret-env NAME or --secret-stdin.';
    return askSecret(this.context.terminal, what, hint);
  }

  /** @returns what should be looked at. @throws CliError when the service would refuse the result */
  async #check(files: PlannedFiles): Promise<Inspection['warnings']> {
    const { problems, warnings } = await files.inspect(this.context.env);
    assertNoProblems(problems);
    return warnings;
  }

  /** Undefined: nothing of a token, or of its kind, is to be written. */
  async #giveToken(): Promise<GivenToken | undefined> {
    const { context, options, preset } = this;
    if (proofKind(preset) !== 'token' || options.dryRun === true) return undefined;
    return giveToken(context, preset.id, this.#path, options.rotate === true);
  }

  /** The variable of a secret that a service may not have: it is in the environment of this command alone. */
  #onlyHere(given: GivenSecret | undefined): string | undefined {
    if (given === undefined || !('variable' in given)) return undefined;
    const kept = parseEnv(this.here.files.dotenv ?? '')[given.variable] ?? '';
    return kept.trim() === '' ? given.variable : undefined;
  }

  #ownSecret(secrets: readonly string[] | undefined, env: Environment): string | undefined {
    if (proofKind(this.preset) !== 'own-secret') return undefined;
    const [written] = secrets ?? [];
    return written === undefined
      ? this.present.elsewhere?.secrets[0]
      : readSecret(written, { ...this.here.env, ...env });
  }
}
