// Writes what docs/ says from the code itself: the commands' help into docs/cli.md, and docs/gateway.schema.json.
// With --check nothing is written; what is not up to date is named, and the exit code is 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { gatewaySchema } from '../dist/cli/config/schema/gateway-schema.js';
import { Program, withDescendants } from '../dist/cli/program.js';
import { createCli } from '../dist/cli/run-cli.js';
import { pathOf } from '../dist/cli/usage-error.js';
import { Terminal } from '../dist/cli/terminal.js';

const MARK = '<!-- Below: the help of every command, written by `npm run docs:cli`. -->\n';
const PAGE = new URL('../docs/cli.md', import.meta.url);
const SCHEMA = new URL('../docs/gateway.schema.json', import.meta.url);

/** A process that has no terminal: help is wrapped at 80 columns. */
const noTerminal = { stdin: {}, stdout: {}, stderr: {} };

async function helpSections() {
  const app = await createCli({ env: {}, cwd: '.' }, new Terminal(noTerminal));
  const root = app.get(Program).complete();
  const sections = withDescendants(root).map((command) => {
    const path = pathOf(command);
    return `## ${path}\n\n\`\`\`text\n${helpOf(command).trimEnd()}\n\`\`\`\n`;
  });
  await app.close();
  return sections.join('\n');
}

/** With the examples, which commander only adds while it prints. */
function helpOf(command) {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

function writtenPage(sections) {
  const [byHand = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  return `${byHand}${MARK}\n${sections}`;
}

const files = [
  [PAGE, writtenPage(await helpSections())],
  [SCHEMA, `${JSON.stringify(gatewaySchema(), undefined, 2)}\n`],
];
for (const [file, text] of files) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stdout.write(`${file.pathname} is not up to date; run: npm run docs:cli\n`);
    process.exitCode = 1;
  }
}
