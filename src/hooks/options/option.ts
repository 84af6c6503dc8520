import 'reflect-metadata';
import { getMetadataStorage } from 'class-validator';
import { isRecord } from '../../platform/objects.ts';

// What an option is besides its rules, said once, on the field of its class. Whoever hides secrets, merges files, tells
// what waits for a restart or writes the documentation reads it here and has no list of keys of its own.

type OptionsClass = new () => object;

export interface OptionTraits {
  /** True: each of its texts is a secret. `'inside'`: a secret may be in it, as in an address, headers or arguments; it is shown nowhere. */
  readonly secret?: true | 'inside';
  /** True: a person may have chosen the secret, with blanks around it. */
  readonly mayHaveBlanks?: boolean;
  /** True: what stands there closes something; `null` is a mistake and no absence. */
  readonly guards?: true;
  /** True: conditions of requests, whose texts may be secrets by the place that they look at. */
  readonly conditions?: boolean;
  /** True: a change holds after a restart; false: it holds at once, inside of what needs one. */
  readonly restart?: boolean;
  /** True: only gateway.json5 may say it, so that no fragment widens what was closed there. */
  readonly operatorOnly?: boolean;
  /** Entries of a list that several files give: one behind the other, or as a set. Default: the last file wins. */
  readonly merge?: 'append' | 'unite';
  /** Actions of mappings that read it. Default: all. */
  readonly appliesTo?: readonly string[];
}

/** The class of what an option holds: one, a list of them, or several by name. */
interface Nested {
  readonly shape: 'section' | 'list' | 'map';
  readonly options: OptionsClass;
}

interface Declared extends OptionTraits {
  readonly nested?: Nested;
}

const DECLARED = Symbol('declared');

/** Says of an option, or of all options of a class, what is particular about it. Stands beside the rules of its value. */
export function Option(traits: OptionTraits): PropertyDecorator & ClassDecorator {
  return declare(traits);
}

/** For the decorators that say which class an option holds. */
export function Holds(shape: Nested['shape'], options: OptionsClass): PropertyDecorator {
  return declare({ nested: { shape, options } });
}

function declare(more: Declared): PropertyDecorator & ClassDecorator {
  return (target: object, name?: string | symbol): void => {
    const declared = { ...declaredAt(target, name), ...more };
    if (name === undefined) Reflect.defineMetadata(DECLARED, declared, target);
    else Reflect.defineMetadata(DECLARED, declared, target, name);
  };
}

function declaredAt(target: object, name?: string | symbol): Declared {
  const found: Declared | undefined =
    name === undefined
      ? Reflect.getMetadata(DECLARED, target)
      : Reflect.getMetadata(DECLARED, target, name);
  return found ?? {};
}

const names = new WeakMap<OptionsClass, readonly string[]>();

/** The keys that a class declares, its parent's among them. */
export function optionKeys(options: OptionsClass): readonly string[] {
  const known = names.get(options);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(options, '', true, false);
  const found = [...new Set(rules.map(({ propertyName }) => propertyName))];
  names.set(options, found);
  return found;
}

/** A place of a configuration, as the options classes declare it; also one that they do not. */
export class OptionPlace {
  private constructor(
    readonly path: readonly (string | number)[],
    /** The name by which a secret is guessed where nobody declared one; undefined: none can be there. */
    readonly guessedBy: string | undefined,
    readonly traits: OptionTraits,
    private readonly nested: Nested | undefined,
  ) {}

  /** Where the keys of a class begin. @param name of the section that has them. Default: none */
  static of(options: OptionsClass, name?: string): OptionPlace {
    const path = name === undefined ? [] : [name];
    return new OptionPlace(path, undefined, declaredAt(options), { shape: 'section', options });
  }

  /** As problems name it: `hooks.mappings[0].to`. */
  get key(): string {
    return this.path
      .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`))
      .join('');
  }

  /** Whether a class says what the key is, which is no entry of a list or a map. */
  declares(key: string): boolean {
    return this.nested?.shape === 'section' && optionKeys(this.nested.options).includes(key);
  }

  /** The place of a key or an entry inside. */
  at(step: string | number): OptionPlace {
    const path = [...this.path, step];
    const { nested, traits } = this;
    if (nested === undefined) return new OptionPlace(path, this.#nameOf(step), traits, nested);
    if (nested.shape === 'section') return this.#option(nested.options, step);
    // What has another shape than declared is refused elsewhere; its secrets are secrets all the same.
    const isEntry = (typeof step === 'number') === (nested.shape === 'list');
    if (!isEntry) return new OptionPlace(path, String(step), {}, undefined);
    const entry: Nested = { shape: 'section', options: nested.options };
    return new OptionPlace(path, undefined, declaredAt(nested.options), entry);
  }

  /** Every option that is declared below, but for those inside of one that `isWhole`; `[0]` and `*` stand for entries. */
  below(isWhole: (traits: OptionTraits) => boolean = () => false): OptionPlace[] {
    const { nested } = this;
    if (nested === undefined) return [];
    if (nested.shape !== 'section')
      return this.at(nested.shape === 'list' ? 0 : '*').below(isWhole);
    return optionKeys(nested.options).flatMap((name) => {
      const place = this.at(name);
      return isWhole(place.traits) ? [place] : [place, ...place.below(isWhole)];
    });
  }

  #option(options: OptionsClass, step: string | number): OptionPlace {
    const path = [...this.path, step];
    const name = String(step);
    if (!this.declares(name)) return new OptionPlace(path, name, {}, undefined);
    const { nested, ...traits } = declaredAt(options.prototype, name);
    const ofClass = nested?.shape === 'section' ? declaredAt(nested.options) : {};
    return new OptionPlace(path, undefined, { ...ofClass, ...traits }, nested);
  }

  /** Under a header, or a place of a condition, its name counts; of keys that nobody declared, the last one does. */
  #nameOf(step: string | number): string | undefined {
    const { guessedBy, traits } = this;
    if (typeof step === 'number') return guessedBy;
    if (traits.conditions === true) {
      return guessedBy === undefined || guessedBy === 'and' || guessedBy === 'or'
        ? step
        : guessedBy;
    }
    return guessedBy === undefined && traits.secret !== 'inside' ? undefined : step;
  }
}

/** Every text of a value with its place. */
export function textsIn(
  value: unknown,
  place: OptionPlace,
): { text: string; place: OptionPlace }[] {
  if (typeof value === 'string') return [{ text: value, place }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, place.at(index)));
  if (!isRecord(value)) return [];
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return entries.flatMap(([name, inner]: [string, unknown]) => textsIn(inner, place.at(name)));
}
