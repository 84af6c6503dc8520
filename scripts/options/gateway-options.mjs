// gateway.json5 as a tree: sections, and the options class of every place in it, with what the source says (docstrings,
// `@default`) beside what the compiled class does (initialisers, class-validator). Where the two differ nothing is
// written.
import { isDeepStrictEqual } from 'node:util';
import { getMetadataStorage } from 'class-validator';

/**
 * @typedef {object} Option One key of a class, from both sides.
 * @property {string} key
 * @property {string} doc what its docstring and its traits say
 * @property {unknown} standard its default; undefined: none, or one that depends on other things
 * @property {boolean} isRequired
 * @property {string | undefined} see where the keys inside it are described instead of here
 * @property {{ shape: 'section' | 'list' | 'map', name: string } | undefined} nested
 * @property {readonly object[]} rules its validators
 */

/** The class of the whole file: a section is one field of it. */
const ROOT = 'ConfigurationOptions';

/** The sections, and the keys of every class below them by its name. */
export async function gatewayOptions(declared) {
  const classes = new Map();
  const problems = [];
  async function read(name) {
    if (classes.has(name)) return;
    const options = await optionsOf(declared, name);
    classes.set(name, options);
    for (const option of options) problems.push(...mistakesOf(name, option));
    for (const { nested } of options) if (nested !== undefined) await read(nested.name);
  }
  await read(ROOT);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const sections = classes.get(ROOT);
  classes.delete(ROOT);
  return { sections, classes };
}

/** @returns {Promise<Option[]>} */
export async function optionsOf(declared, name) {
  const compiled = await declared.compiled(name);
  const OptionPlace = await declared.compiled('OptionPlace');
  const place = OptionPlace.of(compiled);
  const defaults = new compiled();
  const rules = Map.groupBy(
    getMetadataStorage().getTargetValidationMetadatas(compiled, '', true, false),
    ({ propertyName }) => propertyName,
  );
  return declared.keysOf(name).map((option) => {
    const own = rules.get(option.key) ?? [];
    const isOptional = own.some(({ type }) => type === 'conditionalValidation');
    const initial = plain(Reflect.get(defaults, option.key));
    const { traits } = place.at(option.key);
    return {
      ...option,
      doc: withTraits(option.doc, traits),
      initial,
      rules: own,
      isRequired: initial === undefined && !isOptional,
    };
  });
}

/** What an option says of itself is not said again in its docstring. */
function withTraits(doc, { restart, operatorOnly }) {
  const sentences = [
    doc,
    ...(doc !== '' && restart === true ? ['Changing it needs a restart.'] : []),
    ...(doc !== '' && operatorOnly === true ? ['Only in `gateway.json5`, not in a fragment.'] : []),
  ];
  return sentences.join(' ');
}

/** A default as it is written in gateway.json5; undefined for a section, whose keys have their own. */
function plain(value) {
  if (value instanceof Map) return Object.fromEntries(value);
  return typeof value === 'object' && !Array.isArray(value) ? null : value;
}

/** What a docstring leaves out or gets wrong. */
function mistakesOf(name, { key, doc, standard, initial, nested, rules }) {
  const place = `${name}.${key}`;
  if (initial === null) return [];
  const mistakes = [];
  if (doc === '' && nested === undefined) mistakes.push(`${place} has no docstring`);
  if (initial !== undefined && !isDeepStrictEqual(standard, initial)) {
    mistakes.push(`${place}: @default must be ${JSON.stringify(initial)}, as its initialiser says`);
  }
  const limits = rules
    .filter(({ name: rule }) => rule === 'max' || rule === 'min')
    .map(({ constraints: [limit] }) => Number(limit).toLocaleString('en-US'))
    .filter((limit) => limit !== '0' && !doc.includes(limit));
  if (limits.length > 0) mistakes.push(`${place}: the docstring does not say ${limits.join(', ')}`);
  return mistakes;
}
