// docs/design/operator.md
import { parseEnv } from 'node:util';
import type { Preset, SignatureScheme } from '../../hooks/index.ts';
import {
  MASK,
  decideSecrets,
  giveToken,
  proofKind,
  schemeOf,
  senderName,
  senderPath,
} from '../../service/index.ts';
import type { Environment, GivenToken, Inspection, PresentSender } from '../../service/index.ts';
import type { CommandContext } from '../command.ts';
import type { PlannedFiles } from '../config/planned-files.ts';
import { assertNoProblems, noteWarnings } from '../config/problem-lines.ts';
import type { Prompts } from '../prompts.ts';
import { findService } from '../service/find-service.ts';
import { Interruption } from '../terminal.ts';
import { HandshakeSecret, arrivesByHandshake } from './handshake-secret.ts';
import { askSecret, readGivenSecret, readSecret, writtenSecret } from './sender-secrets.ts';
import type { GivenSecret, SecretFlags } from './sender-secrets.ts';
import { explained } from './sender-tokens.ts';
import { findBase, isLocal } from './setup-address.ts';
import { plannedSender } from './setup-plan.ts';
import { SetupReport } from './setup-report.ts';
import type { Shown } from './setup-report.ts';

export interface SenderFlags extends SecretFlags {
  readonly url?: string;
  readonly rotate?: boolean;
  readonly retireOld?: boolean;
  readonly accept?: boolean;
  readonly discard?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Enters at the sender what a person would enter there. @returns false: a person has to */
export type EnterThere = (shown: Shown, hookUrl: string) => Promise<boolean>;

/** Writes one fragment (gateway.d/github.json5). Nobody's file is edited, and doing it again is harmless. */
export class SenderSetup {
  readonly #path: string;
  readonly #report: SetupReport;
  readonly #prompts: Prompts | undefined;

  constructor(
    private readonly context: CommandContext,
    private readonly options: SenderFlags,
    private readonly preset: Preset,
    private readonly here: Inspection,
    private readonly present: PresentSender,
  ) {
    this.#path = senderPath(preset, here.resolved?.effective.hooks);
    this.#report = new SetupReport(context.terminal, preset, here, this.#path);
    this.#prompts = options.json === true ? undefined : context.terminal.prompts;
  }

  /** @returns the document of `--json`; undefined: there is none, and it is told already */
  async run(enter?: EnterThere): Promise<object | undefined> {
    const { options, preset, here, present } = this;
    const { terminal, env } = this.context;
    const { url, rotate = false, retireOld = false, dryRun = false, json = false } = options;
    if (options.discard === true) {
      await (await this.#handshake()).discard();
      return undefined;
    }
    const base = await findBase(preset, here, url, options.accept ? undefined : this.#prompts);
    const typed = await readGivenSecret(options, terminal);
    if (this.#isAwaited && typed === undefined && !dryRun) return this.#await(base);
    const arrival = options.accept === true ? await this.#handshake() : undefined;
    const arrived = await arrival?.taken();
    const given = arrived === undefined ? typed : { value: arrived.secret };
    let isAsked = arrived !== undefined;
    const change = { given: given && writtenSecret(given), rotate, retireOld };
    const scheme = schemeOf(preset, here.resolved?.effective);
    const decided = decideSecrets({ preset, scheme }, present, change, async (asked) => {
      isAsked = true;
      return this.#ask(base, asked);
    });
    const secrets = await explained(preset.id, decided);
    const publicUrl = isLocal(base) || present.publicUrl !== undefined ? undefined : base;
    const files = plannedSender(preset, { secrets, publicUrl }, here);
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
    const isEntered = (await enter?.(shown, this.#report.hookUrl(base))) === true;
    if (json) return this.#report.toJson(shown, news);
    if (hasNews && dryRun) files.show(terminal);
    if (!isAsked && !retireOld && !isEntered) this.#report.showSteps(shown, rotate);
    noteWarnings(warnings, terminal);
    if (dryRun) terminal.note('nothing was changed');
    else this.#report.tellFiles(news, hasNews ? this.#onlyHere(typed) : undefined);
    this.#report.tellSecrets(
      { before: present.secrets.length, now: secrets?.length ?? present.secrets.length },
      own,
    );
    if (enter === undefined) this.#report.tellNext(base);
    return undefined;
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
  async #await(base: string): Promise<object | undefined> {
    using interruption = new Interruption();
    const handshake = await this.#handshake(interruption.signal);
    const window = await handshake.open();
    const shown = { base, secret: undefined, token: undefined };
    if (this.options.json === true) {
      return { ...this.#report.toJson(shown, []), window };
    }
    if (window.taken === null) this.#report.showSteps(shown);
    await handshake.waitAndShow(window);
    return undefined;
  }

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
    const { env, clock } = context;
    const wanted = { id: preset.id, path: this.#path, rotate: options.rotate === true };
    const here = await context.inspect();
    return explained(preset.id, giveToken(here, wanted, env, 'hooks setup', clock.now()));
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
