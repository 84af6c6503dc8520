// The command as the running service begins it for an operator at the console (src/service/setup/setup-guide.ts).
import { runByLines } from './run-cli.ts';

const { argv, env } = process;
process.exitCode = await runByLines({ args: argv.slice(2), env, cwd: process.cwd() }, process);
