// docs/design/operator.md
import { listSamples, readSample } from '../../hooks/index.ts';
import type { Preset } from '../../hooks/index.ts';
import {
  canSign,
  findMissing,
  presetsOf,
  proofKind,
  schemeOf,
  senderName,
  showConfiguration,
} from '../../service/index.ts';
import type { HookPost, Inspection } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import { PlannedFiles, recommendedGateway } from '../config/planned-files.ts';
import { assertNoProblems } from '../config/problem-lines.ts';
import { showReceipt, waitForEnd } from '../events/event-outcome.ts';
import { asLine } from '../foreign-text.ts';
import type { Prompts } from '../prompts.ts';
import { samplePost } from '../senders/sample-post.ts';
import { SenderSetup } from '../senders/sender-setup.ts';
import type { EnterThere, SenderFlags } from '../senders/sender-setup.ts';
import { presentSender } from '../senders/setup-plan.ts';
import { findService } from '../service/find-service.ts';
import type { ServiceClient } from '../service/service-client.ts';
import type { Interruption } from '../terminal.ts';
import { findChannel, hasChannel } from './channel-part.ts';
import type { ChannelFlags } from './channel-part.ts';
import { makeWebhook } from './github-webhook.ts';
import { installPackages } from './install-packages.ts';
import { findModel, hasModel } from './model-part.ts';
import type { ModelFlags } from './model-part.ts';
import { tunnelHint, findTunnels } from './public-address.ts';
import { findSecret } from './setup-part.ts';
import type { PartContext, SetupPart } from './setup-part.ts';

// Everything is asked and tried first, then written, then a signed sample is sent and its reply waited for. What is
// there already is left as it is, so that calling it again goes on where it was left.

/** What the command line says to the guide; what it does not say is asked, or left out where nobody can be. */
interface GuideFlags extends ModelFlags, ChannelFlags, SenderFlags {
  /** A preset, or `none`. */
  readonly sender?: string;
  /** `owner/name`: its webhook is made with a token of GitHub's. */
  readonly repository?: string;
  readonly githubTokenEnv?: string;
  readonly githubUrl?: string;
  /** True: nothing is asked that has a usual answer. */
  readonly yes?: boolean;
}

const NONE = 'none';
const GITHUB = 'github';

/** How often a service that is to start, or to take its files over, is asked again; and how long for the files. */
const STEP_MS = 250;
const TAKEOVER_MS = 15_000;

export class GuidedSetup {
  readonly #prompts: Prompts | undefined;
  readonly #written: string[] = [];
  #installed: readonly string[] = [];

  constructor(
    private readonly context: CommandContext,
    private readonly flags: GuideFlags,
    private readonly interruption: Interruption,
  ) {
    this.#prompts = flags.json === true ? undefined : context.terminal.prompts;
  }

  /** All of it, or only one end. @throws CliError; what it says of a Ctrl-C is whether anything was written */
  async run(end?: 'model' | 'channel'): Promise<void> {
    try {
      await (end === undefined ? this.#all() : this.#only(end));
    } catch (error) {
      if (!this.interruption.signal.aborted || this.#written.length > 0) throw error;
      throw new CliError('interrupted; nothing was changed', undefined, EXIT.interrupted);
    }
  }

  async #only(part: 'model' | 'channel'): Promise<void> {
    const find = part === 'model' ? findModel : findChannel;
    const found = await find(await this.#partContext(), this.flags);
    await this.#write(found === undefined ? [] : [found]);
    if (this.flags.json === true) return this.context.terminal.printJson(this.#document());
    this.#tell();
  }

  async #all(): Promise<void> {
    const { terminal } = this.context;
    const { json = false } = this.flags;
    const parts = await this.#ends();
    const preset = await this.#sender();
    const url = preset === undefined ? undefined : await this.#address();
    await this.#write(parts);
    const sender = preset === undefined ? null : await this.#setUp(preset, url);
    if (this.flags.dryRun === true) return terminal.note('nothing was changed');
    const service = await this.#service();
    if (service === undefined) {
      if (json) return terminal.printJson({ ...this.#document(), sender, story: null });
      return terminal.note('Then start the service: hooks start');
    }
    await this.#takenOver(service);
    const receipt = await service.send(await this.#sample(preset, service));
    if (!json) {
      const wait = { ...this.flags, wait: true };
      return showReceipt(this.context, service, receipt, wait, this.interruption);
    }
    const { clock } = this.context;
    const wait = { timeoutMs: 300_000, clock, onProgress: () => {} };
    const { eventId } = receipt;
    const story = eventId === null ? null : await waitForEnd(service, eventId, wait);
    terminal.printJson({ ...this.#document(), sender, story });
  }

  async #ends(): Promise<SetupPart[]> {
    const { terminal } = this.context;
    const context = await this.#partContext();
    const { model, channel } = this.flags;
    const parts: (SetupPart | undefined)[] = [];
    if (model !== undefined || !hasModel(context)) {
      parts.push(await findModel(context, this.flags));
    } else terminal.note('The model stays as it is; to change it: hooks setup model');
    if (channel !== undefined || !hasChannel(context)) {
      parts.push(await findChannel(context, this.flags));
    } else terminal.note('The channel stays as it is; for another one: hooks setup channel');
    return parts.filter((part) => part !== undefined);
  }

  /** @throws CliError for a configuration that is broken already */
  async #partContext(): Promise<PartContext> {
    const { terminal, env, inspect } = this.context;
    const here = await inspect();
    if (!here.isDemo) assertNoProblems(here.problems);
    return { terminal, env, here, prompts: this.#prompts, signal: this.interruption.signal };
  }

  /** Undefined: none. */
  async #sender(): Promise<Preset | undefined> {
    const presets = presetsOf((await this.context.inspect()).resolved?.effective);
    const choices = [...presets.values()]
      .filter(({ id }) => id !== 'mail' && id !== 'generic')
      .map((preset) => ({ value: preset.id, label: senderName(preset) }))
      .toSorted((a, b) => a.label.localeCompare(b.label));
    const name =
      this.flags.sender ??
      (await this.#prompts?.select('Who sends events?', [
        { value: NONE, label: 'nobody yet, or something of your own (POST /hooks/agent)' },
        ...choices,
      ])) ??
      NONE;
    if (name === NONE || presets.has(name)) return presets.get(name);
    const hint = 'See which there are: hooks setup --list';
    throw new CliError(`There is no preset ${asLine(name)}.`, hint, EXIT.usage);
  }

  /** Undefined: that of the configuration, or whatever setting the sender up asks for. */
  async #address(): Promise<string | undefined> {
    const { url } = this.flags;
    const { resolved } = await this.context.inspect();
    if (url !== undefined || resolved?.effective.hooks.publicUrl !== undefined) return url;
    if (this.#prompts === undefined || resolved === undefined) return undefined;
    const { port } = resolved.gateway;
    const tunnels = await findTunnels(port);
    if (tunnels.length === 0) {
      this.context.terminal.note(tunnelHint(port));
      return undefined;
    }
    const chosen = await this.#prompts.select('Where does it reach this service?', [
      ...tunnels.map(({ url: value, by }) => ({ value, label: `${value} (${by})` })),
      { value: NONE, label: 'elsewhere' },
    ]);
    return chosen === NONE ? undefined : chosen;
  }

  /** Writes what was found, and installs what it needs. @throws CliError when the service would refuse it */
  async #write(parts: readonly SetupPart[]): Promise<void> {
    const { terminal, env, inspect } = this.context;
    this.interruption.signal.throwIfAborted();
    const here = await inspect();
    for (const { found } of parts) terminal.note(found);
    if (parts.length > 0) {
      const gateway =
        here.files.gateway === undefined ? recommendedGateway(here, 'hooks setup') : undefined;
      const variables = Object.assign({}, ...parts.map((part) => part.variables));
      const fragments = parts.map(({ fragment }) => fragment);
      const files = new PlannedFiles(here.dir, here.files, fragments, gateway, variables);
      const { problems } = await files.inspect(env);
      assertNoProblems(problems);
      if (this.flags.dryRun === true) return files.show(terminal);
      if (files.isChange) {
        files.write();
        this.#written.push(...files.names);
      }
    }
    await this.#install(await inspect());
  }

  async #install({ needed }: Inspection): Promise<void> {
    const { terminal } = this.context;
    const missing = findMissing(needed);
    if (missing === null) return;
    const { command, packages } = missing;
    const names = packages.join(' ');
    const isWanted =
      this.flags.yes === true || (await this.#prompts?.confirm(`Install ${names} with npm now?`));
    if (
      isWanted === true &&
      (await installPackages(packages, terminal, this.interruption.signal))
    ) {
      this.#installed = packages;
      return;
    }
    terminal.note(`Runs and replies wait until this is installed: ${command}`);
  }

  async #setUp(preset: Preset, url: string | undefined): Promise<object | null> {
    const { context, flags } = this;
    const here = await context.inspect();
    const present = await presentSender(preset, here, context.env);
    const given = { ...flags, ...(url !== undefined && { url }) };
    const setup = new SenderSetup(context, given, preset, here, present);
    return (await setup.run((shown, hookUrl) => this.#enter(preset, shown, hookUrl))) ?? null;
  }

  async #enter(
    preset: Preset,
    { secret }: Parameters<EnterThere>[0],
    url: string,
  ): Promise<boolean> {
    const { repository, githubTokenEnv, githubUrl: root } = this.flags;
    if (preset.id !== GITHUB || repository === undefined || secret === undefined) return false;
    const { value: token } = await findSecret(await this.#partContext(), {
      what: 'A GitHub token',
      flag: '--github-token-env',
      given: githubTokenEnv,
      usual: 'GITHUB_TOKEN',
    });
    const isNew = await makeWebhook({ root, token, repository, url, secret });
    this.context.terminal.note(
      isNew
        ? `GitHub sends the events of ${asLine(repository)} to ${url} from now on.`
        : `${asLine(repository)} has a webhook to ${url} already; its secret has to be the one below.`,
    );
    return isNew;
  }

  /** The service that runs here; a person is asked to start it. Undefined: none runs. */
  async #service(): Promise<ServiceClient | undefined> {
    const { terminal, clock } = this.context;
    const { signal } = this.interruption;
    for (let isTold = false; ; isTold = true) {
      try {
        const service = await findService(this.context, {}, signal);
        await service.ask('GET /ops/api/status', 'startedAt', {});
        return service;
      } catch (error) {
        signal.throwIfAborted();
        const isAway = error instanceof CliError && error.exitCode === EXIT.unreachable;
        if (!isAway) throw error;
        if (this.#prompts === undefined) return undefined;
      }
      if (!isTold) terminal.note('Start the service in another terminal: hooks start (waiting …)');
      await clock.wait(STEP_MS, signal);
    }
  }

  /** Waits until the service has taken over what was written. @throws CliError when it does not */
  async #takenOver(service: ServiceClient): Promise<void> {
    const { inspect, env, clock } = this.context;
    const wanted = JSON.stringify(showConfiguration(await inspect(), env).configuration);
    const until = clock.now() + TAKEOVER_MS;
    while (clock.now() < until) {
      const { configuration } = await service.ask(
        'GET /ops/api/configuration',
        'configuration',
        {},
      );
      if (JSON.stringify(configuration) === wanted) return;
      await clock.wait(STEP_MS, this.interruption.signal);
      this.interruption.signal.throwIfAborted();
    }
    throw new CliError(
      'The running service does not work with these files.',
      'See why: hooks status',
    );
  }

  /** What the sender would send; where nobody but it can sign, or there is none, a task of our own. */
  async #sample(preset: Preset | undefined, service: ServiceClient): Promise<HookPost> {
    const settings = (await this.context.inspect()).resolved?.effective;
    const scheme = preset && schemeOf(preset, settings);
    const [name] = preset === undefined ? [] : listSamples(preset.id, settings?.configDir);
    const isPossible =
      preset !== undefined &&
      (proofKind(preset) === 'token' ? service.canSend : scheme !== undefined && canSign(scheme));
    const sample =
      isPossible && name !== undefined
        ? readSample(preset.id, name, settings?.configDir)
        : undefined;
    if (preset !== undefined && sample !== undefined && settings !== undefined) {
      this.context.terminal.note(
        `Sending a sample of ${senderName(preset)}: ${asLine(name ?? '')}`,
      );
      const now = this.context.clock.now();
      return samplePost(preset, sample, { settings, service, now, idempotencyKey: undefined });
    }
    this.context.terminal.note('Sending a task to POST /hooks/agent');
    const body = {
      message: 'Say in one sentence that the setup works.',
      name: 'Setup',
      wakeMode: 'next-heartbeat',
    };
    return { name: 'agent', headers: {}, query: {}, body: Buffer.from(JSON.stringify(body)) };
  }

  #tell(): void {
    const { terminal } = this.context;
    const files = this.#written.join(', ');
    if (this.flags.dryRun === true) return terminal.note('nothing was changed');
    terminal.note(
      files === ''
        ? 'nothing to write: everything is there already'
        : `written: ${files}; a running service reloads it within a second`,
    );
  }

  #document(): object {
    return { written: this.#written, installed: this.#installed };
  }
}
