import { PATH_KEYS, literalPath } from '../http/path-rules.ts';
import { HooksOptions, inMappings, resolveSection } from '../options/index.ts';
import type {
  HooksSettings,
  MappingOptions,
  Problem,
  ResolvedHooksOptions,
  SettingsFindings,
} from '../options/index.ts';

/**
 * A mapping that is tried before it is saved, by the checks of a configuration: in place of the one with its id, else
 * before all others.
 */

interface DraftedSettings {
  readonly settings: ResolvedHooksOptions;
  /**
   * Keys begin with `mapping`, or with the place in the configuration of another one that it makes wrong. While there
   * are problems, nothing is tried with it.
   */
  readonly draft: SettingsFindings;
}

/** @param given as gateway.json5 would have it; references to variables are texts like any other. */
export async function draftMapping(
  given: unknown,
  settings: HooksSettings,
): Promise<DraftedSettings> {
  const { current } = settings;
  const { value, problems } = resolveSection(HooksOptions, { mappings: [given] }, 'hooks');
  const [own] = value.mappings;
  if (problems.length > 0 || own === undefined) {
    const said = inMappings(problems, [given]).map((problem) => placed(problem, 0, false));
    return { settings: current, draft: { problems: said, warnings: [] } };
  }
  const { mappings, at, isNew } = among(current.hooks.mappings, own);
  const hooks = Object.assign(new HooksOptions(), current.hooks, { mappings });
  const next = { ...current, hooks };
  const found = await settings.findings(next);
  const ofDraft = (all: readonly Problem[]): Problem[] =>
    all.map((problem) => placed(problem, at, isNew));
  const known = await settings.findings(current);
  const draft = {
    problems: without(known.problems, ofDraft(found.problems)),
    warnings: without(known.warnings, ofDraft(found.warnings)),
  };
  return { settings: next, draft };
}

function among(
  written: readonly MappingOptions[],
  own: MappingOptions,
): { mappings: MappingOptions[]; at: number; isNew: boolean } {
  const complete = withPathOptions(own, written);
  const at = written.findIndex(({ id }) => id !== undefined && id === own.id);
  return at < 0
    ? { mappings: [complete, ...written], at: 0, isNew: true }
    : { mappings: written.with(at, complete), at, isNew: false };
}

/**
 * A mapping with what is configured for its path, as far as it says nothing of that itself: who tries one need not know
 * the secrets of its sender.
 */
function withPathOptions(own: MappingOptions, written: readonly MappingOptions[]): MappingOptions {
  const path = literalPath(own);
  const earlier = written.filter(({ id }) => id !== undefined && id === own.id);
  const neighbours = written.filter((one) => path !== undefined && literalPath(one) === path);
  const others = [...earlier, ...neighbours];
  const said = PATH_KEYS.map((field) => [
    field,
    others.find((one) => one[field] !== undefined)?.[field],
  ]);
  const verify = others.find((one) => one.verify !== undefined)?.verify;
  return Object.assign(
    {},
    Object.fromEntries(said),
    present(own),
    own.verify !== undefined && { verify: Object.assign({}, verify, present(own.verify)) },
  );
}

/** Absent keys must not cover what stands below. */
function present(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const PLACE = /(?:hooks\.)?mappings\[(\d+)\]/g;

function placed({ key, message }: Problem, at: number, isNew: boolean): Problem {
  const named = (text: string, draft: string): string =>
    text.replaceAll(PLACE, (place, index: string) => {
      if (Number(index) === at) return draft;
      return isNew ? place.replace(index, String(Number(index) - 1)) : place;
    });
  return { key: named(key, DRAFT), message: named(message, 'this mapping') };
}

const DRAFT = 'mapping';

/** What is so without the draft is not its doing, such as a transform that broke since. */
function without(known: readonly Problem[], found: readonly Problem[]): readonly Problem[] {
  return found.filter(
    ({ key, message }) => !known.some((one) => one.key === key && one.message === message),
  );
}
