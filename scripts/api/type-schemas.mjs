// The JSON Schema of what a TypeScript type describes, for answers: they are declared once, as the types that the
// controllers return, and need no decorators beside them.
import ts from 'typescript';

const { TypeFlags, SymbolFlags } = ts;

/** Schemas of types; those with a name in src/ become components and are referred to. */
export class TypeSchemas {
  #checker;
  #isOurs;
  /** @type {Map<string, { type: ts.Type, schema: object }>} */
  #named = new Map();

  /** @param {(file: ts.SourceFile) => boolean} isOurs whether a declaration of this file gets a component */
  constructor(checker, isOurs) {
    this.#checker = checker;
    this.#isOurs = isOurs;
  }

  /** Every type that was referred to, by name. */
  get components() {
    const sorted = [...this.#named].toSorted(([one], [other]) => one.localeCompare(other, 'en'));
    return Object.fromEntries(sorted.map(([name, { schema }]) => [name, schema]));
  }

  /** @param {ts.Type} type */
  schemaOf(type) {
    const name = this.#nameOf(type);
    return name === undefined ? this.#inline(type) : this.#reference(name, type);
  }

  #reference(name, type) {
    const known = this.#named.get(name);
    if (known === undefined) {
      const entry = { type, schema: {} };
      // Before its parts, which may refer to it.
      this.#named.set(name, entry);
      const symbol = type.aliasSymbol ?? type.symbol;
      entry.schema = { ...this.#inline(type), ...this.#described(symbol) };
    } else if (known.type !== type) throw new Error(`two types have the name ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Objects with a name of ours; texts of a few words are clearer where they stand. */
  #nameOf(type) {
    const symbol = type.aliasSymbol ?? type.symbol;
    const [declaration] = symbol?.declarations ?? [];
    const isObject = (type.flags & (TypeFlags.Object | TypeFlags.Intersection)) !== 0;
    if (declaration === undefined || !isObject || symbol.name.startsWith('__')) return undefined;
    return this.#isOurs(declaration.getSourceFile()) ? symbol.name : undefined;
  }

  #inline(type) {
    const { flags } = type;
    if (flags & (TypeFlags.Unknown | TypeFlags.Any)) return {};
    if (flags & TypeFlags.Null) return { type: 'null' };
    if (flags & TypeFlags.StringLiteral) return { const: type.value };
    if (flags & TypeFlags.NumberLiteral) return { const: type.value };
    if (flags & TypeFlags.BooleanLiteral) return { const: type.intrinsicName === 'true' };
    if (flags & TypeFlags.StringLike) return { type: 'string' };
    if (flags & TypeFlags.NumberLike) return { type: 'number' };
    if (flags & TypeFlags.Boolean) return { type: 'boolean' };
    if (flags & TypeFlags.NonPrimitive) return { type: 'object' };
    if (type.isUnion()) return this.#union(type);
    if (this.#checker.isArrayType(type)) {
      return { type: 'array', items: this.schemaOf(this.#checker.getTypeArguments(type)[0]) };
    }
    if (flags & (TypeFlags.Object | TypeFlags.Intersection)) return this.#object(type);
    throw new Error(`no schema for the type ${this.#checker.typeToString(type)}`);
  }

  #union({ types }) {
    const given = types.filter(({ flags }) => !(flags & TypeFlags.Undefined));
    const isLiteral = ({ flags }) => (flags & TypeFlags.StringLiteral) !== 0;
    const isTruth = ({ flags }) => (flags & TypeFlags.BooleanLiteral) !== 0;
    // The compiler's own order depends on what it saw before.
    const words = given
      .filter(isLiteral)
      .map(({ value }) => value)
      .toSorted();
    const truths = given.filter(isTruth);
    const isNull = ({ flags }) => (flags & TypeFlags.Null) !== 0;
    const others = given.filter((type) => !isLiteral(type) && !isTruth(type));
    const schemas = [
      ...(words.length === 0
        ? []
        : [words.length === 1 ? { const: words[0] } : { type: 'string', enum: words }]),
      ...(truths.length === 2 ? [{ type: 'boolean' }] : truths.map((type) => this.#inline(type))),
      ...others.filter((type) => !isNull(type)).map((type) => this.schemaOf(type)),
      ...others.filter(isNull).map(() => ({ type: 'null' })),
    ];
    return schemas.length === 1 ? schemas[0] : simplified(schemas);
  }

  #object(type) {
    const properties = {};
    const required = [];
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const schema = this.schemaOf(this.#checker.getTypeOfSymbol(property));
      properties[property.name] = { ...schema, ...this.#described(property) };
      if (!(property.flags & SymbolFlags.Optional)) required.push(property.name);
    }
    const [index] = this.#checker.getIndexInfosOfType(type);
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(index !== undefined && { additionalProperties: this.schemaOf(index.type) }),
    };
  }

  #described(symbol) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    const description = text.replaceAll(/\s+/g, ' ').trim();
    return description === '' ? {} : { description };
  }
}

/** What is null or of one plain type is of both; generators of clients lose the properties of such an object. */
function simplified(schemas) {
  const [one, other] = schemas;
  const isPlain =
    schemas.length === 2 &&
    other.type === 'null' &&
    typeof one.type === 'string' &&
    one.type !== 'object';
  if (!isPlain) return { anyOf: schemas };
  return { ...one, type: [one.type, 'null'], ...(one.enum && { enum: [...one.enum, null] }) };
}
