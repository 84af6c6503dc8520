import { isDeepStrictEqual } from 'node:util';
import type { Preset } from '../../hooks/index.ts';
import { assertConfigured, changeFragment } from '../configuration/fragment-change.ts';
import type { FragmentKeeper, TakenOver } from '../configuration/fragment-keeper.ts';
import { fragmentSections } from '../configuration/files.ts';
import { asWritten, fragmentFile, literal } from '../configuration/fragments.ts';
import type { Inspection } from '../configuration/inspect.ts';
import { ConfigurationUnchanged } from '../configuration/unchanged.ts';
import { decideSecrets, planSender, presentSender } from './sender-plan.ts';
import type { PresentSender } from './sender-plan.ts';
import { giveToken } from './sender-tokens.ts';
import type { GivenToken } from './sender-tokens.ts';
import {
  presetsOf,
  proofKind,
  schemeOf,
  senderName,
  senderPath,
  setupSteps,
  signsUrl,
} from './sender.ts';

/** A mailbox has a command, and a fragment, of its own. */
const MAIL = 'mail';

export interface WantedPreset {
  /** That the sender has made; undefined: it is made here, or there is one already. */
  readonly secret: string | undefined;
  /** Where senders reach the service, where no file says it; undefined: nobody said. */
  readonly publicUrl: string | undefined;
}

export interface EnabledPreset extends TakenOver {
  /** What its sender is called on a screen. */
  readonly sender: string;
  /** The files that were written; empty: everything was there. */
  readonly files: readonly string[];
  /** What to do at the sender, a step each, with what was made just now: it is told this once. */
  readonly steps: readonly string[];
  /** The secret or token that was made; null: none was. */
  readonly made: string | null;
}

export class PresetKeeper {
  constructor(private readonly fragments: FragmentKeeper) {}

  /**
   * @param base where the hooks are reached while no `hooks.publicUrl` says it
   * @param now epoch milliseconds
   * @throws ConfigurationUnchanged
   */
  enable(id: string, wanted: WantedPreset, base: string, now: number): Promise<EnabledPreset> {
    return this.fragments.change(`the operator enabled the preset ${id}`, async (here) => {
      const preset = presetsOf(here.resolved?.effective).get(id);
      if (preset === undefined || id === MAIL) throw new ConfigurationUnchanged('unknown');
      assertConfigured(here);
      const present = await presentSender(preset, here, this.fragments.env);
      const publicUrl = newAddress(preset, wanted.publicUrl, here);
      const { secrets, made = null } = await decide(preset, wanted.secret, present, here);
      const plan = planSender(preset, { secrets, publicUrl }, here);
      const isThere =
        present.isEnabledElsewhere && secrets === undefined && publicUrl === undefined;
      const before = fragmentSections(here.files, id) ?? {};
      const isNew = !isThere && !isDeepStrictEqual(before, asWritten(plan.sections));
      const next = isNew ? await changeFragment(here, plan, this.fragments.env) : here;
      const isToken = proofKind(preset) === 'token';
      const path = senderPath(preset, next.resolved?.effective.hooks);
      const own = isToken ? await this.#giveToken(preset, path, next, now) : undefined;
      const { path: prefix = '', publicUrl: known = base } = next.resolved?.effective.hooks ?? {};
      const values = { url: `${known}${prefix}/${path}`, ...(made !== null && { secret: made }) };
      return {
        sender: senderName(preset),
        files: [
          ...(isNew ? [fragmentFile(id)] : []),
          ...(own?.file === undefined ? [] : [own.file]),
        ],
        steps: setupSteps(preset.setup, { ...values, token: own?.token }),
        made: made ?? own?.token ?? null,
      };
    });
  }

  #giveToken({ id }: Preset, path: string, here: Inspection, now: number): Promise<GivenToken> {
    return giveToken(here, { id, path, rotate: false }, this.fragments.env, 'hooks setup', now);
  }
}

/** `hooks.publicUrl`, where it is to be written. @throws ConfigurationUnchanged */
function newAddress(
  preset: Preset,
  given: string | undefined,
  { resolved }: Inspection,
): string | undefined {
  const known = resolved?.effective.hooks.publicUrl;
  const scheme = schemeOf(preset, resolved?.effective);
  if (given === undefined && known === undefined && scheme !== undefined && signsUrl(scheme)) {
    const why = `${senderName(preset)} signs the address that it sends to: say publicUrl`;
    throw new ConfigurationUnchanged('refused', why);
  }
  if (given === undefined || given === known) return undefined;
  if (known === undefined) return given;
  throw new ConfigurationUnchanged('refused', 'hooks.publicUrl says another address already');
}

/** @throws ConfigurationUnchanged */
async function decide(
  preset: Preset,
  given: string | undefined,
  present: PresentSender,
  { resolved }: Inspection,
): Promise<{ readonly secrets: readonly string[] | undefined; readonly made?: string }> {
  const scheme = schemeOf(preset, resolved?.effective);
  const change = { given: given && literal(given), rotate: false, retireOld: false };
  const secrets = await decideSecrets({ preset, scheme }, present, change, () => {
    throw new ConfigurationUnchanged('no-secret-yet', senderName(preset));
  });
  const isMade = given === undefined && present.secrets.length === 0;
  const [made] = secrets ?? [];
  return { secrets, ...(isMade && made !== undefined && { made }) };
}
