import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { bareName, builtInHook } from '../actions/hook-request.ts';
import { listEntries } from '../mappings/entries.ts';
import { keyOf, toLabel } from '../mappings/mapping.ts';
import type { MappingEntry } from '../mappings/mapping.ts';
import { HooksSettings, inMappings } from '../options/index.ts';
import type {
  BodyKind,
  MappingOptions,
  NamingProblem,
  Problem,
  ResolvedHooksOptions,
  VerifyOptions,
} from '../options/index.ts';
import { sendersOf } from '../senders/index.ts';
import type { Senders, SignatureScheme } from '../senders/index.ts';
import { Certificates } from './auth/signatures/index.ts';
import { bodyLimits } from './body.ts';
import type { BodyLimits } from './body.ts';
import { compileSigner, guessable, signatureHeaders } from './path-signer.ts';
import type { PathSigner, SenderVerifiers } from './path-signer.ts';

// Written in mappings and presets, but of the path: its mappings can be told apart by the payload only.

export interface PathRule {
  /** Without outer slashes, as it is written in the configuration: safe to show. */
  readonly path: string;
  /** The sender's; also where the token guards the path, because nobody gave a secret. */
  readonly scheme?: SignatureScheme;
  /** Present: the sender has to sign. */
  readonly signer?: PathSigner;
  /** True: whoever presents a token instead is verified by that. */
  readonly orToken: boolean;
  /** One more header for the token, in lower case. */
  readonly tokenHeader?: string;
  /** Headers that carry a token or a signature here, in lower case: shown to nobody, whatever they are called. */
  readonly secretHeaders: readonly string[];
  readonly body: BodyKind;
  /** The type that the sender writes for the kind of body it sends, if not the usual one. */
  readonly contentType?: string;
  readonly limits: BodyLimits;
}

interface CompiledPathRules {
  readonly rules: ReadonlyMap<string, PathRule>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export const SENDER_VERIFIERS = Symbol('sender verifiers');

/** The header in which the token may come to a request's path, beside those that every path takes; in lower case. */
export function tokenHeaderOf({
  rule,
  settings,
}: {
  readonly rule?: PathRule | undefined;
  readonly settings: ResolvedHooksOptions;
}): string | undefined {
  return rule === undefined ? settings.hooks.tokenHeader : rule.tokenHeader;
}

@Injectable()
export class PathRules {
  readonly #compiled = new WeakMap<ResolvedHooksOptions, CompiledPathRules>();

  /** @param certificates outlive a reload, so that none is fetched twice */
  constructor(
    settings: HooksSettings,
    private readonly certificates: Certificates,
    @Inject(SENDER_VERIFIERS) private readonly verifiers: SenderVerifiers = {},
  ) {
    settings.addCheck((next) => this.#compile(next));
  }

  /** @param name sub-path as it came; outer slashes do not lead around a rule, since mappings ignore them, too. */
  get(settings: ResolvedHooksOptions, name: string): PathRule | undefined {
    const { rules } = this.#compile(settings);
    return rules.size === 0 ? undefined : rules.get(bareName(name));
  }

  #compile(settings: ResolvedHooksOptions): CompiledPathRules {
    const known = this.#compiled.get(settings);
    if (known !== undefined) return known;
    const { certificates, verifiers } = this;
    const compiled = compilePathRules(settings, certificates, verifiers);
    this.#compiled.set(settings, compiled);
    return compiled;
  }
}

export const PATH_KEYS = ['verify', 'orToken', 'tokenHeader', 'body', 'maxBodyBytes'] as const;
type PathKey = (typeof PATH_KEYS)[number];
type PathOptions = Pick<MappingOptions, PathKey>;

interface PathSource {
  readonly path: string;
  /** What is said of it; the operator's word before a preset's. */
  readonly said: PathOptions;
  readonly places: Readonly<Partial<Record<PathKey, string>>>;
  /** By the operator. A preset that speaks of signatures knows no secret, and of sizes only what its sender needs. */
  readonly written: ReadonlySet<PathKey>;
}

export function compilePathRules(
  settings: ResolvedHooksOptions,
  certificates = new Certificates(),
  verifiers: SenderVerifiers = {},
): CompiledPathRules {
  const { hooks } = settings;
  const senders = sendersOf(settings);
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const placed = listEntries(settings, senders.presets).flatMap((entry) => {
    const path = literalPath(entry.mapping);
    const isTaken = path !== undefined && builtInHook(path, settings) !== undefined;
    if (path !== undefined && !isTaken) return [{ entry, path }];
    problems.push(...findMisplaced(entry, path));
    return [];
  });
  const rules = new Map<string, PathRule>();
  for (const [path, group] of Map.groupBy(placed, (one) => one.path)) {
    const entries = group.map(({ entry }) => entry);
    const found = findDisagreements(entries);
    problems.push(...found);
    const source = found.length > 0 ? null : toSource(path, entries, senders);
    const rule =
      source && compileRule(source, settings, { certificates, verifiers }, { problems, warnings });
    if (rule !== null) rules.set(path, rule);
  }
  return { rules, problems: inMappings(problems, hooks.mappings), warnings };
}

/** Absent for a mapping that takes any path. */
export function literalPath({ id, match }: MappingOptions): string | undefined {
  const path = match === undefined ? id : match.path;
  return path === undefined ? undefined : bareName(path);
}

function findMisplaced({ key, written }: MappingEntry, path: string | undefined): Problem[] {
  const message =
    path === undefined
      ? 'belongs to one path, and this mapping takes any; set match.path beside it'
      : `cannot be set for the built-in hook ${path}; use another path`;
  return PATH_KEYS.filter((field) => written[field] !== undefined).map((field) => ({
    key: `${key}.${field}`,
    message,
  }));
}

function isPreset({ layers }: MappingEntry): boolean {
  return layers.length === 0;
}

/**
 * The first mapping of a path says a key, or all that say it agree; secrets for a preset's scheme are no disagreement.
 */
function findDisagreements(entries: readonly MappingEntry[]): NamingProblem[] {
  const [first, ...others] = entries.filter((entry) => !isPreset(entry));
  if (first === undefined) return [];
  return PATH_KEYS.flatMap((field) => {
    const agreed = first.written[field];
    return others
      .filter(({ written }) => written[field] !== undefined)
      .filter(({ written }) => !isDeepStrictEqual(written[field], agreed))
      .filter((entry) => !(field === 'verify' && agreed === undefined && completesPreset(entry)))
      .map(({ key }) => ({
        key: `${key}.${field}`,
        message: `belongs to the path, and ${toLabel(first)} comes first there; set it in that one, and here the same or nothing`,
        names: [first.key],
      }));
  });
}

function completesPreset({ written, mapping }: MappingEntry): boolean {
  return written.verify?.scheme === undefined && mapping.verify?.scheme !== undefined;
}

/** Null when nobody says anything about the path. */
function toSource(
  path: string,
  entries: readonly MappingEntry[],
  senders: Senders,
): PathSource | null {
  const said: Record<string, unknown> = {};
  const places: Partial<Record<PathKey, string>> = {};
  const written = new Set<PathKey>();
  for (const field of PATH_KEYS) {
    const writer = entries.find((entry) => !isPreset(entry) && entry.written[field] !== undefined);
    if (writer !== undefined) written.add(field);
    const sayer = writer ?? entries.find(({ mapping }) => mapping[field] !== undefined);
    if (sayer === undefined) continue;
    said[field] = (writer?.written ?? sayer.mapping)[field];
    places[field] = keyOf(sayer, field);
  }
  if (Object.keys(said).length === 0) return null;
  return { path, said: withScheme(said, path, entries, senders), places, written };
}

/**
 * A preset of the path knows the scheme, else it is that of new senders; not where the path is called like a sender we
 * know, which would wait for ever for a signature of another kind.
 */
function withScheme(
  said: PathOptions,
  path: string,
  entries: readonly MappingEntry[],
  { presets, schemes }: Senders,
): PathOptions {
  const { verify } = said;
  if (verify === undefined || verify.scheme !== undefined) return said;
  const isKnown = schemes.has(path) || presets.has(path);
  const brought = entries.find(({ mapping }) => mapping.verify?.scheme !== undefined);
  const scheme = brought?.mapping.verify?.scheme ?? (isKnown ? undefined : 'standard-webhooks');
  return scheme === undefined ? said : { ...said, verify: Object.assign({}, verify, { scheme }) };
}

interface Findings {
  readonly problems: Problem[];
  readonly warnings: Problem[];
}

function compileRule(
  { path, said, places, written }: PathSource,
  settings: ResolvedHooksOptions,
  by: { readonly certificates: Certificates; readonly verifiers: SenderVerifiers },
  { problems, warnings }: Findings,
): PathRule | null {
  const { hooks } = settings;
  const { schemes } = sendersOf(settings);
  const { verify, orToken = false, body, maxBodyBytes } = said;
  const ownHeader = said.tokenHeader?.toLowerCase();
  const scheme = schemes.get(verify?.scheme ?? '');
  const isSigned = written.has('verify') && !namesUnsigned(verify, scheme);
  const before = problems.length;
  const report = (field: PathKey, message: string): unknown =>
    problems.push({ key: places[field] ?? path, message });
  const signer =
    verify !== undefined && isSigned
      ? compileSigner(
          verify,
          { path, key: places.verify ?? path },
          { ...by, publicUrl: hooks.publicUrl, schemes },
          problems,
        )
      : undefined;
  if (orToken && !isSigned) {
    report('orToken', 'has no meaning without verify.secrets; remove it');
  }
  if (ownHeader !== undefined && isSigned && !orToken) {
    report('tokenHeader', 'has no meaning beside verify without orToken: true; remove it');
  }
  const signed = signer === undefined ? [] : signatureHeaders(signer.verifier.scheme);
  if (ownHeader !== undefined && signed.includes(ownHeader)) {
    const sender = signer?.verifier.scheme.name;
    report('tokenHeader', `is where ${sender} puts its own proof; choose another header`);
  }
  if (problems.length > before) return null;
  const isShared = (!isSigned || orToken) && !signed.includes(hooks.tokenHeader ?? '');
  const tokenHeader = ownHeader ?? (isShared ? hooks.tokenHeader : undefined);
  if (scheme !== undefined && signer === undefined && !scheme.canSendToken) {
    const message = `takes the hook token, which ${scheme.name} cannot send; add verify.secrets in a mapping with the id ${path}`;
    warnings.push({ key: (places.verify ?? path).replace(/\.verify$/, ''), message });
  }
  if (signer !== undefined) warnings.push(...guessable(signer, path, places.verify ?? path));
  const ofPath = written.has('maxBodyBytes') ? maxBodyBytes : undefined;
  const limits = bodyLimits(hooks, ofPath, maxBodyBytes);
  if (hooks.maxBodyBytes === undefined && limits.maxBodyBytes < (maxBodyBytes ?? 0)) {
    const message = `lets bodies of ${limits.maxBodyBytes} bytes in at ${path}, whose sender sends up to ${maxBodyBytes}: larger ones are refused (413); give the service more memory, or set it higher`;
    warnings.push({ key: 'hooks.maxInFlightBytes', message });
  }
  return {
    path,
    orToken,
    body: body ?? scheme?.body ?? 'json',
    limits,
    secretHeaders: [...(tokenHeader === undefined ? [] : [tokenHeader]), ...signed],
    ...(scheme !== undefined && { scheme }),
    ...(signer !== undefined && { signer }),
    ...(tokenHeader !== undefined && { tokenHeader }),
    ...(scheme?.contentType !== undefined && { contentType: scheme.contentType }),
  };
}

/** A sender that signs nothing, named for the questions it asks: what it sends is let in by the token. */
function namesUnsigned(
  verify: VerifyOptions | undefined,
  scheme: SignatureScheme | undefined,
): boolean {
  if (verify === undefined || scheme?.handshakes === undefined) return false;
  const isNamedAlone = Object.entries(verify).every(
    ([key, value]) => key === 'scheme' || value === undefined,
  );
  return scheme.proofs.length === 0 && isNamedAlone;
}
