// Stands in for Claude Code in print mode, with the arguments, the questions and the output of version 2.1.197 as they were
// seen in test/real/command-agents.real-spec.ts. Its first argument is a file that says which tools it calls, one list
// for each turn, and where what was done is written: {"turns": [[["Bash", {"command": "…"}]]], "done": "<file>"}.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const [file, ...args] = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const script = JSON.parse(readFileSync(file, 'utf8'));
const [calls = [], ...turns] = script.turns;
writeFileSync(file, JSON.stringify({ ...script, turns }));
const input = await text(process.stdin);
const session_id = option('--resume') ?? 'session-1';
const answers = [];

const [, server, tool] = (option('--permission-prompt-tool') ?? '').split('__');
const mcp = new Client({ name: 'claude-code', version: '2.1.197' });
if (tool !== undefined) {
  const { command, args } = JSON.parse(option('--mcp-config')).mcpServers[server];
  await mcp.connect(new StdioClientTransport({ command, args }));
  const { tools } = await mcp.listTools();
  if (!tools.some(({ name }) => name === tool)) throw new Error('MCP tool not found');
}

/** Without a permission tool, print mode refuses what its settings do not allow. */
async function ask(name, input) {
  if (tool === undefined) return { behavior: 'deny', message: 'not granted' };
  const asked = { tool_name: name, input, tool_use_id: 'toolu_1' };
  const { content } = await mcp.callTool({ name: tool, arguments: asked });
  return JSON.parse(content[0].text);
}

/** Makes the calls, or as many as it may. @returns whether it was interrupted */
async function work() {
  for (const [name, given] of calls) {
    const answer = await ask(name, given);
    answers.push(answer);
    if (answer.behavior === 'allow') {
      appendFileSync(script.done, `${name} ${JSON.stringify(answer.updatedInput)}\n`);
    }
    if (answer.interrupt === true && !script.isDeaf) return true;
  }
  return false;
}

const isInterrupted = await work();
await mcp.close();
// Until nobody reads any more what it says.
if (script.hangs) setInterval(() => process.stdout.write(' '), 50);
const result = isInterrupted
  ? { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }
  : { subtype: 'success', result: JSON.stringify({ args, input, answers }) };
const told = script.isSilent ? {} : { session_id };
process.exitCode = script.exit ?? (isInterrupted ? 1 : 0);
if (!script.hangs) process.stdout.write(JSON.stringify({ type: 'result', ...told, ...result }));
