import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const SRC = join(ROOT, 'src');
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

const config = ts.getParsedCommandLineOfConfigFile(
  join(ROOT, 'tsconfig.json'),
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
)!;
const program = ts.createProgram(
  FACES.map((face) => join(SRC, `${face}.ts`)),
  config.options,
);
const checker = program.getTypeChecker();

function resolved(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function exportsOf(face: string): Map<string, ts.Symbol> {
  const file = program.getSourceFile(join(SRC, `${face}.ts`))!;
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file)!);
  return new Map(symbols.map((symbol) => [symbol.name, resolved(symbol)]));
}

const faces = new Map(FACES.map((face) => [face, exportsOf(face)]));
const exported = new Set([...faces.values()].flatMap((symbols) => [...symbols.values()]));

function isHidden(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const isPrivate = modifiers.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  return (
    isPrivate || (ts.isClassElement(node) && node.name?.kind === ts.SyntaxKind.PrivateIdentifier)
  );
}

/** The parts of a declaration that stand in its .d.ts: types, not bodies, initialisers or decorators. */
function visitSignature(node: ts.Node, visit: (symbol: ts.Symbol) => void): void {
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

function isOurs(symbol: ts.Symbol): boolean {
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined || ts.isTypeParameterDeclaration(declaration)) return false;
  const file = declaration.getSourceFile().fileName;
  return dirname(file).startsWith(SRC);
}

function isExportedByItsFile(symbol: ts.Symbol): boolean {
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined) return false;
  const file = checker.getSymbolAtLocation(declaration.getSourceFile());
  return (
    file !== undefined && checker.getExportsOfModule(file).some((one) => resolved(one) === symbol)
  );
}

describe('The faces of the package', () => {
  it('export every type that a signature of theirs reaches', () => {
    const forgotten = new Map<string, string>();
    for (const symbol of exported) {
      for (const declaration of symbol.declarations ?? []) {
        visitSignature(declaration, (reached) => {
          if (!isOurs(reached) || exported.has(reached) || !isExportedByItsFile(reached)) return;
          const where = relative(ROOT, declaration.getSourceFile().fileName);
          forgotten.set(reached.name, `${symbol.name} (${where})`);
        });
      }
    }
    expect(Object.fromEntries(forgotten)).toEqual({});
  });

  it('the root has at most 48 names', () => {
    expect(faces.get('index')!.size).toBeLessThanOrEqual(48);
  });

  it('no name means two things', () => {
    const meanings = new Map<string, Set<ts.Symbol>>();
    for (const symbols of faces.values()) {
      for (const [name, symbol] of symbols) {
        meanings.set(name, (meanings.get(name) ?? new Set()).add(symbol));
      }
    }
    const ambiguous = [...meanings].filter(([, symbols]) => symbols.size > 1);
    expect(ambiguous.map(([name]) => name)).toEqual([]);
  });

  it('the root has a docstring with @publicApi for every name', () => {
    const missing = [...faces.get('index')!].filter(
      ([, symbol]) => !symbol.getJsDocTags(checker).some(({ name }) => name === 'publicApi'),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
  });
});
