import { OptionPlace, textsIn } from './option.ts';
import type { Problem } from './problem.ts';

/**
 * How a person who reads a message knows the options. Inside the hooks an option is named by its place in gateway.json5
 * (`hooks.mappings[0].to`, `store.payloadDays`), in keys and in sentences; before a message leaves the options, its
 * names become those of whoever wrote them.
 */
export interface OptionNames {
  /** The reader's own name of the option at this place of gateway.json5. */
  readonly of: (place: string) => string;
  /** True: `${NAME}` was replaced before the options came here; what is left of it is text. False: it is a mistake. */
  readonly replacesVariables: boolean;
  /** Whether the reader has the command `hooks`, which knows a service and its files alone. */
  readonly hasCommand: boolean;
}

/** The places in gateway.json5, as they are. */
export const GATEWAY_NAMES: OptionNames = {
  of: (place) => place,
  replacesVariables: true,
  hasCommand: true,
};

/**
 * The keys of `HooksModule.forRoot`: those of `hooks` without a prefix, its neighbours under their own names; and of
 * `HooksConsoleModule.forHooks`, which are those of `ops`.
 */
export const MODULE_NAMES: OptionNames = {
  of: keyOfModule,
  replacesVariables: false,
  hasCommand: false,
};

function keyOfModule(place: string): string {
  if (place === 'hooks') return 'options';
  return place
    .replace(/^gateway\.auth\.token$/, 'gatewayAuthToken')
    .replace(/^(?:hooks|gateway|ops)\.(?!d\/)/, '')
    .replace(/^store(?=\.|$)/, 'retention');
}

/** A place inside a sentence; not what stands in quotes, in an address or in a longer word. */
const PLACE = /(?<![\w"'./@-])(?:hooks|store|gateway|ops)(?:\.[A-Za-z]\w*)+/g;

export function renamed(
  problems: readonly Problem[],
  names: OptionNames = MODULE_NAMES,
): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    key: names.of(problem.key),
    message: inWordsOf(names, problem.message),
  }));
}

export function inWordsOf({ of }: OptionNames, sentence: string): string {
  return sentence.replaceAll(PLACE, (place) => of(place));
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/;

/** Every text of options given in code that names a variable, as in gateway.json5; keys as they were given. */
export function variableProblems(given: unknown): Problem[] {
  return textsIn(given, OptionPlace.of(Object)).flatMap(({ text, place: { key } }) => {
    const [, name] = VARIABLE.exec(text) ?? [];
    return name === undefined ? [] : [{ key, message: unreplaced(name) }];
  });
}

/** What to say about `${name}` where nothing replaces it. */
export function unreplaced(name: string): string {
  return `names a variable, but forRoot replaces nothing; pass process.env.${name}`;
}
