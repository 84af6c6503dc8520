// The faces of the package: `src/<face>.ts`, as package.json exports them.
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { DeclaredOptions } from '../options/declared-options.mjs';

const FACES = [
  'index',
  'agents',
  'channels',
  'console',
  'ledger',
  'options',
  'testing',
  'transform',
];
const MOST_NAMES = 56;

/** Types that a face forgets, names that mean two things, and names of the root without a docstring, in sentences. */
export function facesProblems(root) {
  const { checker, sourceFiles } = DeclaredOptions.of(root);
  const src = fileURLToPath(new URL('src', root));
  const resolved = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exportsOf = (file) => checker.getExportsOfModule(checker.getSymbolAtLocation(file));
  const faces = FACES.map((face) => {
    const file = sourceFiles.find(({ fileName }) => fileName === `${src}/${face}.ts`);
    return exportsOf(file).map((symbol) => [symbol.name, resolved(symbol)]);
  });
  const [rootNames] = faces;
  const exported = new Set(faces.flat().map(([, symbol]) => symbol));

  function isOurs([declaration]) {
    if (declaration === undefined || ts.isTypeParameterDeclaration(declaration)) return false;
    return dirname(declaration.getSourceFile().fileName).startsWith(src);
  }

  function isExportedByItsFile(symbol) {
    const file = checker.getSymbolAtLocation(symbol.declarations[0].getSourceFile());
    return (
      file !== undefined && checker.getExportsOfModule(file).some((one) => resolved(one) === symbol)
    );
  }

  /** The parts of a declaration that stand in its .d.ts: types, not bodies, initialisers or decorators. */
  function visitSignature(node, visit) {
    if (ts.isDecorator(node) || ts.isBlock(node) || isHidden(node)) return;
    if (ts.isConstructorDeclaration(node)) return;
    if (ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node) || ts.isParameter(node)) {
      if (node.type !== undefined) visitSignature(node.type, visit);
      return;
    }
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
      const symbol = checker.getSymbolAtLocation(name);
      if (symbol !== undefined) visit(resolved(symbol));
    }
    ts.forEachChild(node, (child) => visitSignature(child, visit));
  }

  const problems = [];
  for (const symbol of exported) {
    for (const declaration of symbol.declarations ?? []) {
      visitSignature(declaration, (reached) => {
        const isNamed = !isOurs(reached.declarations ?? []) || exported.has(reached);
        if (isNamed || !isExportedByItsFile(reached)) return;
        const where = relative(dirname(src), declaration.getSourceFile().fileName);
        problems.push(`no face exports ${reached.name}, which ${symbol.name} (${where}) reaches`);
      });
    }
  }
  if (rootNames.length > MOST_NAMES)
    problems.push(`src/index.ts exports more than ${MOST_NAMES} names`);
  const meanings = new Map();
  for (const [name, symbol] of faces.flat()) {
    if (meanings.has(name) && meanings.get(name) !== symbol)
      problems.push(`${name} means two things`);
    meanings.set(name, symbol);
  }
  for (const [name, symbol] of rootNames) {
    const isDescribed = symbol.getDocumentationComment(checker).length > 0;
    if (!isDescribed) problems.push(`src/index.ts: ${name} has no docstring`);
  }
  return problems;
}

function isHidden(node) {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const isPrivate = modifiers.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  return (
    isPrivate || (ts.isClassElement(node) && node.name?.kind === ts.SyntaxKind.PrivateIdentifier)
  );
}
