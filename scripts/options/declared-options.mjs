// Reads the options classes with the TypeScript compiler: what a reader sees of them in the source, which is gone at
// run time. Their rules and defaults are read from the compiled classes, by class-validator and an instance.
import { fileURLToPath, pathToFileURL } from 'node:url';
import JSON5 from 'json5';
import ts from 'typescript';

/**
 * @typedef {object} DeclaredOption One key of an options class.
 * @property {string} key
 * @property {string} doc its docstring in one line; empty: it only holds other keys
 * @property {unknown} standard the value of its `@default`; undefined: it has none
 * @property {string | undefined} see its `@see`: where the keys inside it are described
 * @property {{ shape: 'section' | 'list' | 'map', name: string } | undefined} nested the options class it holds
 */

/** The exported declarations of src/, by name. */
export class DeclaredOptions {
  /** The compiler's view of all sources. */
  checker;
  /** @type {readonly ts.SourceFile[]} those of src/ */
  sourceFiles;
  /** @type {Map<string, ts.ClassDeclaration | ts.VariableDeclaration>} */
  #declarations = new Map();
  #root;

  static #read;

  /** Read once in each process, which takes seconds. @param {URL} root where tsconfig.json is */
  static of(root) {
    return (this.#read ??= new DeclaredOptions(root));
  }

  constructor(root) {
    this.#root = root;
    const { fileNames, options } = configOf(root);
    const program = ts.createProgram(fileNames, options);
    this.checker = program.getTypeChecker();
    this.sourceFiles = program.getSourceFiles().filter((file) => !file.isDeclarationFile);
    for (const file of this.sourceFiles) this.#remember(file);
  }

  #remember(file) {
    for (const statement of file.statements) {
      if (ts.isClassDeclaration(statement) && statement.name !== undefined) {
        this.#declarations.set(statement.name.text, statement);
      }
      if (!ts.isVariableStatement(statement)) continue;
      for (const declaration of statement.declarationList.declarations) {
        this.#declarations.set(declaration.name.getText(), declaration);
      }
    }
  }

  /** What the compiled module exports under this name, wherever its file is. */
  async compiled(name) {
    const { fileName } = this.#declaration(name).getSourceFile();
    const source = new URL('src/', this.#root).href;
    const dist = pathToFileURL(fileName).href.replace(source, new URL('dist/', this.#root).href);
    const exported = (await import(dist.replace(/\.ts$/, '.js')))[name];
    if (exported === undefined) throw new Error(`${fileName} does not export ${name}`);
    return exported;
  }

  /** The keys of an options class in the order of the source; those that it inherits come last. */
  keysOf(name) {
    const declaration = this.#declaration(name);
    const own = declaration.members.filter(
      (member) => ts.isPropertyDeclaration(member) && ts.getDecorators(member) !== undefined,
    );
    const [parent] = declaration.heritageClauses?.flatMap(({ types }) => types) ?? [];
    return [
      ...own.map((member) => this.#keyOf(member)),
      ...(parent === undefined ? [] : this.keysOf(parent.expression.getText())),
    ];
  }

  #declaration(name) {
    const declaration = this.#declarations.get(name);
    if (declaration === undefined) throw new Error(`src/ declares no ${name}`);
    return declaration;
  }

  /** @returns {DeclaredOption} */
  #keyOf(member) {
    const symbol = this.checker.getSymbolAtLocation(member.name);
    const tags = new Map(
      symbol
        .getJsDocTags(this.checker)
        .map(({ name, text }) => [name, oneLine(ts.displayPartsToString(text))]),
    );
    const standard = tags.get('default');
    return {
      key: member.name.getText(),
      doc: oneLine(ts.displayPartsToString(symbol.getDocumentationComment(this.checker))),
      standard: standard === undefined ? undefined : JSON5.parse(standard),
      see: tags.get('see'),
      nested: this.#nestedIn(this.checker.getTypeAtLocation(member)),
    };
  }

  #nestedIn(declared) {
    const type = this.checker.getNonNullableType(declared);
    const [shape, held] = this.#held(type);
    const name = held?.symbol?.name;
    const isOptions =
      name !== undefined && ts.isClassDeclaration(this.#declarations.get(name) ?? type);
    return isOptions ? { shape, name } : undefined;
  }

  #held(type) {
    if (this.checker.isArrayType(type)) return ['list', this.checker.getTypeArguments(type)[0]];
    if (type.symbol?.name === 'Map') return ['map', this.checker.getTypeArguments(type)[1]];
    return ['section', type];
  }
}

function configOf(root) {
  const path = fileURLToPath(new URL('tsconfig.json', root));
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file));
  return ts.parseJsonConfigFileContent(config, ts.sys, fileURLToPath(root));
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}
