// Writes the help of every command into docs/cli.md.
// With --check nothing is written; what is not up to date is named, and the exit code is 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { createProgram, toPath, withDescendants } from '../dist/cli/program.js';
import { Terminal } from '../dist/cli/terminal.js';

const MARK = '<!-- Below: the help of every command, written by `npm run docs:cli`. -->\n';
const PAGE = new URL('../docs/cli.md', import.meta.url);

/** A process that has no terminal: help is wrapped at 80 columns. */
const noTerminal = { stdin: {}, stdout: {}, stderr: {} };

function helpSections() {
  const root = createProgram({ terminal: new Terminal(noTerminal) });
  const sections = withDescendants(root).map((command) => {
    const path = toPath(command);
    return `## ${path}\n\n\`\`\`text\n${helpOf(command).trimEnd()}\n\`\`\`\n`;
  });
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

const text = writtenPage(helpSections());
if (!process.argv.includes('--check')) writeFileSync(PAGE, text);
else if (readFileSync(PAGE, 'utf8') !== text) {
  process.stdout.write(`${PAGE.pathname} is not up to date; run: npm run docs:cli\n`);
  process.exitCode = 1;
}
