import { randomUUID } from 'node:crypto';
import { bodyOf, listSamples, normalizePrefix, readSample } from '../../hooks/index.ts';
import type { Preset, ResolvedHooksOptions, Sample } from '../../hooks/index.ts';
import {
  CannotSign,
  asNew,
  findPreset,
  presetsOf,
  senderPath,
  signPost,
} from '../../service/index.ts';
import type { HookPost, Unsigned } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import { hookName } from '../request-input.ts';
import type { ServiceClient } from '../service/service-client.ts';
import type { Terminal } from '../terminal.ts';

export const SAMPLE_ARGUMENT = [
  '[sample]',
  "of a preset: one of its vendor's samples, such as issues.opened",
] as const;

interface NamedHook {
  /** `hooks send` */
  readonly command: string;
  readonly hook: string;
  readonly json: boolean | undefined;
  readonly settings: ResolvedHooksOptions | undefined;
}

/** `isOwn`: the command line says what is sent. @returns undefined: no sample. @throws CliError with what there is */
export async function findSample(
  terminal: Terminal,
  { command, hook, json = false, settings }: NamedHook,
  { name, isOwn }: { readonly name: string | undefined; readonly isOwn: boolean },
): Promise<{ preset: Preset; sample: Sample } | undefined> {
  const preset = findPreset(hook, settings);
  if (name === undefined && (isOwn || preset === undefined)) return undefined;
  if (preset === undefined) throw noSuchPreset(settings);
  const names = listSamples(preset.id, settings?.configDir);
  const typed = (one: string): string => `${command} ${preset.id} ${one}`;
  const [first] = names;
  if (first === undefined) {
    const hint = 'Give a request of your own with --payload.';
    throw new CliError(`There is no sample for ${preset.id}.`, hint, EXIT.usage);
  }
  const chosen =
    name === undefined && !json
      ? await terminal.prompts?.select(
          'Which sample?',
          names.map((one) => ({ value: one, label: one })),
        )
      : name;
  const sample =
    chosen === undefined ? undefined : readSample(preset.id, chosen, settings?.configDir);
  if (sample !== undefined) return { preset, sample };
  throw new CliError(
    chosen === undefined
      ? 'The sample is missing.'
      : `There is no sample ${asLine(chosen)} for ${preset.id}.`,
    names.map(typed).join('\n  '),
    EXIT.usage,
  );
}

function noSuchPreset(settings: ResolvedHooksOptions | undefined): CliError {
  const known = [...presetsOf(settings).keys()].filter(
    (id) => listSamples(id, settings?.configDir).length > 0,
  );
  return new CliError(
    'Samples belong to presets, and this is the hook of none.',
    `There are samples for ${known.join(', ')}; other hooks take a request of your own, with --payload.`,
    EXIT.usage,
  );
}

/** Lists the samples of a preset where a hook is named and nothing else, unless a person at a terminal may choose one. @returns false: it has none to list */
export function showSamples(
  terminal: Terminal,
  { command, hook, json = false, settings }: NamedHook,
): boolean {
  if (terminal.prompts !== undefined && !json) return false;
  const bare = hookName(hook, normalizePrefix(settings?.hooks.path ?? ''));
  const preset = findPreset(bare, settings);
  const samples = preset === undefined ? [] : listSamples(preset.id, settings?.configDir);
  if (preset === undefined || samples.length === 0) return false;
  if (json) terminal.printJson({ preset: preset.id, samples });
  else for (const sample of samples) terminal.print(`${command} ${preset.id} ${sample}`);
  return true;
}

export interface SampleSending extends ServiceSigning {
  /** Undefined: a new one, so that the sample is an event of its own. */
  readonly idempotencyKey: string | undefined;
}

/**
 * A delivery of its own each time, without a key. @throws CliError where only the sender can sign, as {@link signFor}
 */
export function samplePost(
  preset: Preset,
  sample: Sample,
  { idempotencyKey, ...signing }: SampleSending,
): HookPost {
  const text = bodyOf(sample);
  const post = {
    name: senderPath(preset, signing.settings.hooks),
    headers: { ...sample.headers, 'idempotency-key': idempotencyKey ?? randomUUID() },
    query: {},
    body: Buffer.from(
      idempotencyKey === undefined ? asNew(text, sample.headers['content-type']) : text,
    ),
  };
  return signFor(post, signing);
}

export interface ServiceSigning {
  readonly settings: ResolvedHooksOptions;
  readonly service: Pick<ServiceClient, 'url' | 'hooksPath' | 'isOwn'>;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** As {@link signPost}. @throws CliError where only the sender can sign, or the secret would leave the machine */
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
