import {
  configuredHooks,
  presetIds,
  sendersOf,
  tokenFor,
  tokenHeaderOf,
  writtenTokens,
} from '../../hooks/index.ts';
import type {
  ConfiguredHook,
  HookRefusals,
  HookUse,
  PathRule,
  Preset,
  ResolvedHooksOptions,
} from '../../hooks/index.ts';
import type { HookReport, HookVerification } from '../ops/answers.ts';
import { senderName, senderPath, setupSteps } from './sender.ts';
import { canSign, secretHeaderOf, showsSecret } from './signed-post.ts';

/** Every way in as an operator sees it. Nothing here is a secret: where one is to be entered, words stand for it. */

export interface HookUses {
  readonly uses: readonly HookUse[];
  readonly refusals: readonly HookRefusals[];
}

export interface HookPlace {
  /** `hooks.path`, with its leading slash. */
  readonly prefix: string;
  /** Scheme, host and what else stands before the prefix; undefined: nobody said it. */
  readonly base: string | undefined;
}

export const UNKNOWN_BASE = 'https://<this service>';

/** @param now epoch milliseconds, for tokens that end */
export function listHooks(
  settings: ResolvedHooksOptions,
  { uses, refusals }: HookUses,
  { prefix, base }: HookPlace,
  now: number,
): HookReport[] {
  const { presets } = sendersOf(settings);
  const enabled = [...presetIds(settings)].flatMap((id) => presets.get(id) ?? []);
  return configuredHooks(settings).map((hook) => {
    const { name, mappings, refusedAs, handler = null } = hook;
    const use = uses.find((one) => one.hook === name);
    const refused = refusals.find((one) => one.hook === refusedAs)?.count ?? 0;
    const preset = enabled.find((one) => senderPath(one, settings.hooks) === name);
    const path = name === null ? null : `${prefix}/${name}`;
    const url = path === null || base === undefined ? null : `${base}${path}`;
    return {
      name,
      path,
      url,
      mappings,
      handler,
      preset: preset?.id ?? null,
      sender: preset === undefined ? null : senderName(preset),
      verification: verificationOf(hook, settings, now),
      lastUsedAt: use?.lastAt ?? null,
      accepted: use === undefined ? null : sum(Object.values(use.statuses)),
      statuses: use?.statuses ?? null,
      refused,
      steps: stepsOf(preset, url ?? `${UNKNOWN_BASE}${path ?? ''}`),
    };
  });
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function stepsOf(preset: Preset | undefined, url: string): string[] {
  return preset === undefined ? [] : setupSteps(preset.setup, { url });
}

function verificationOf(
  { name, rule }: ConfiguredHook,
  settings: ResolvedHooksOptions,
  now: number,
): HookVerification {
  const { signer, orToken = true } = rule ?? {};
  const tokenHeader = tokenHeaderOf({ rule, settings });
  const { hooks } = settings;
  const takesToken = signer === undefined || orToken;
  const speaking = writtenTokens(hooks).filter(
    ({ text, endsAt, hooks: named }) =>
      text !== '' &&
      endsAt > now &&
      (named.includes('*') || (name !== null && named.includes(name))),
  );
  const tokens = speaking.map(({ id }) => (id === null ? 'token' : `token ${id}`));
  return {
    scheme: signer?.verifier.scheme.id ?? null,
    signer: signer?.verifier.scheme.name ?? null,
    tokens: takesToken ? [...new Set(tokens)] : [],
    tokenHeader: (takesToken ? tokenHeader : undefined) ?? null,
    secretHeader: signer === undefined ? null : secretHeaderOf(signer.verifier.scheme),
    sendable: sendableAs(rule, name === null ? undefined : tokenFor(hooks, name, now)),
  };
}

/** What `POST /ops/api/send` in the name of the sender would do, see signPost. */
function sendableAs(
  rule: PathRule | undefined,
  token: string | undefined,
): HookVerification['sendable'] {
  const scheme = rule?.signer?.verifier.scheme;
  if (scheme !== undefined && canSign(scheme)) return showsSecret(scheme) ? 'secret' : 'signed';
  if (scheme !== undefined && rule?.orToken !== true) return null;
  return token === undefined ? null : 'token';
}
