// Says what of docs/ does not agree with the sources or with itself, and what the faces of the package forget; then the
// exit code is 1. What `npm run docs:api`, `docs:options` and `docs:cli` write has to be up to date.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { REJECTIONS } from '../dist/hooks/ports/rejection.js';
import { facesProblems } from './api/faces.mjs';

const ROOT = new URL('../', import.meta.url);
const read = (path) => readFileSync(new URL(path, ROOT), 'utf8');
const has = (path) => existsSync(new URL(path, ROOT));
const list = (folder) => readdirSync(new URL(folder, ROOT));
const foldersOf = (folder) =>
  readdirSync(new URL(folder, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
/** What the first group of a pattern matches, each time. */
const all = (text, pattern) => Array.from(text.matchAll(pattern), ([, found]) => found);
const lacking = (some, others) => some.filter((one) => !others.includes(one));

const DESIGN = list('docs/design').map((name) => `design/${name}`);
const OTHERS = lacking(list('docs'), ['design', 'images', 'README.md']);
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...[...OTHERS, ...DESIGN, 'README.md']
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Each of them gives sentences; none: all is well. */
const CHECKS = [
  namedFiles,
  namedScripts,
  links,
  contents,
  filesToRead,
  design,
  rooms,
  statuses,
  glossary,
  consoleFiles,
  () => facesProblems(ROOT),
];

function namedFiles() {
  return PAGES.flatMap((page) =>
    all(read(page), /`((?:src|test|docs|bench|scripts|console)\/[\w./<>-]+)`/gu)
      // Of a recipe (`src/…/<name>.ts`) the folder.
      .filter(
        (path) =>
          !has(path.includes('<') ? path.slice(0, path.lastIndexOf('/', path.indexOf('<'))) : path),
      )
      .map((path) => `${page} names ${path}, which does not exist`),
  );
}

function namedScripts() {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  return PAGES.flatMap((page) =>
    lacking(all(read(page), /npm run ([\w:-]+)/gu), scripts).map(
      (name) => `${page} names npm run ${name}, which package.json lacks`,
    ),
  );
}

function links() {
  return [...PAGES, 'CHANGELOG.md'].flatMap((page) =>
    Array.from(read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/gu))
      .filter(([, path, anchor]) => {
        const target =
          path === '' ? page : new URL(path, new URL(page, ROOT)).href.slice(ROOT.href.length);
        return !has(target) || (anchor !== undefined && !anchorsOf(target).has(anchor));
      })
      .map(([link]) => `${page} links to nothing: ${link}`),
  );
}

/** As GitHub makes them of headings. */
function anchorsOf(page) {
  const anchor = (heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  return new Set(all(read(page), /^#+ (.+)$/gmu).map(anchor));
}

function contents() {
  const [listed] = read('docs/README.md').split(/^## Read these ten files.*$/mu);
  const linked = all(listed, /\]\(([^)#]+)[^)]*\)/gu);
  return lacking([...OTHERS, ...DESIGN], linked).map(
    (name) => `docs/README.md does not list ${name}`,
  );
}

function filesToRead() {
  const [, reading = ''] = read('docs/README.md').split(/^## Read these ten files.*$/mu);
  const files = all(reading, /^\d+\. `([^`]+)`: \S/gmu);
  const missing = files
    .filter((path) => !has(path))
    .map((path) => `docs/README.md: there is no ${path} to read`);
  return new Set(files).size === 10
    ? missing
    : [...missing, 'docs/README.md does not name ten files to read'];
}

function design() {
  const sources = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts'),
  );
  const linked = new Set(
    sources.flatMap((file) => all(read(`src/${file}`), /docs\/(design\/[\w.-]+\.md)/gu)),
  );
  return [
    ...(DESIGN.length > 16 ? ['docs/design has more than sixteen pages'] : []),
    ...lacking(DESIGN, [...linked]).map((page) => `docs/${page} is linked from no source`),
    ...lacking([...linked], DESIGN).map(
      (page) => `a source links to docs/${page}, which does not exist`,
    ),
    ...DESIGN.filter((page) => read(`docs/${page}`).trimEnd().split('\n').length > 150).map(
      (page) => `docs/${page} is longer than 150 lines`,
    ),
  ];
}

function rooms() {
  const said = Object.fromEntries(
    Array.from(
      read('docs/architecture.md').matchAll(/^\| `([\w/]+)` +\| [^|]+\? +\| ([^|]+?) +\|$/gmu),
      ([, room, may]) => [room, may],
    ),
  );
  const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
  const checked = new Map(
    forbidden
      .filter(({ from }) => /^\^src\/hooks\/\w+\/$/u.test(from.path ?? ''))
      .map(({ name }) => name.split('-imports-'))
      .map(([room, may]) => [room, may.split('-').join(', ')]),
  );
  const folders = [
    ...lacking(foldersOf('src'), ['hooks']),
    ...foldersOf('src/hooks').map((name) => `hooks/${name}`),
  ];
  const [, map = ''] = read('docs/architecture.md').split('\n```\nsrc/\n');
  const drawn = all(map.split('```')[0] ?? '', /(?<![\w/])([\w-]+)\/(?= |$)/gmu);
  return [
    ...lacking([...foldersOf('src'), ...foldersOf('src/hooks')], drawn).map(
      (folder) => `the map of docs/architecture.md lacks ${folder}/`,
    ),
    ...lacking(folders, Object.keys(said)).map(
      (room) => `docs/architecture.md has no room ${room}`,
    ),
    ...lacking(Object.keys(said), folders).map(
      (room) => `docs/architecture.md has a room ${room} too many`,
    ),
    ...foldersOf('src/hooks')
      .filter((room) => said[`hooks/${room}`] !== checked.get(room))
      .map(
        (room) => `docs/architecture.md does not say what npm run rooms checks of hooks/${room}`,
      ),
  ];
}

function statuses() {
  const [, table = ''] = read('docs/http-api.md').split('## Answers');
  const listed = all(table, /^\| ([\d/]+) +\|/gmu).flatMap((row) => row.split('/').map(Number));
  const given = Object.values(REJECTIONS).map(({ status }) => status);
  return lacking([...new Set(given)], listed).map(
    (status) => `docs/http-api.md lacks the status ${status}`,
  );
}

function glossary() {
  const words = all(read('docs/glossary.md'), /^\| ([^|]+?) +\|/gmu);
  return words
    .filter((word, place) => words.indexOf(word) !== place)
    .map((word) => `docs/glossary.md has ${word} twice`);
}

/** Its first view loads quickly, and its content policy refuses nothing. */
function consoleFiles() {
  const assets = 'dist/console/assets/';
  const index = read('dist/console/index.html');
  const views = list(assets).filter((file) => /^(now|events)-.*\.(js|css)$/.test(file));
  const first = new Set();
  for (const file of [...all(index, /\.\/assets\/([\w.-]+)/g), ...views])
    withImports(assets, file, first);
  const bytes = [...first].reduce((sum, file) => sum + gzipSync(read(assets + file)).length, 0);
  return [
    ...(views.length === 0 || first.size < 2 ? ['dist/console has no first view'] : []),
    ...(bytes > 250_000
      ? [`the first view of the console is ${bytes} bytes gzipped, more than 250 KB`]
      : []),
    ...(/<script(?![^>]*\bsrc=)|<style|\bon\w+=|\bstyle=/.test(index)
      ? ['dist/console/index.html has something inline']
      : []),
  ];
}

/** A file with all that it imports at once, not what it loads later. */
function withImports(folder, file, found) {
  if (found.has(file)) return;
  found.add(file);
  if (!file.endsWith('.js')) return;
  for (const imported of all(read(folder + file), /(?:from|import)\s*["'`]\.\/([\w.-]+)["'`]/g)) {
    withImports(folder, imported, found);
  }
}

const problems = CHECKS.flatMap((check) => check());
process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
if (problems.length > 0) process.exitCode = 1;
process.argv.push('--check');
for (const script of ['api', 'options', 'cli']) await import(`./${script}-docs.mjs`);
