import { newToken } from '../../service/index.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';

/** Prints it and keeps it nowhere. */
export const tokenNew = defineCommand({
  name: 'new',
  description: 'print a new random token of 32 bytes (base64url)',
  options: [JSON_OPTION],
  examples: [
    ['hooks token new', 'print one'],
    [
      'echo "HOOK_TOKEN=$(hooks token new)" >> .env',
      'give the variable HOOK_TOKEN of gateway.json5 a value that no screen shows',
    ],
  ],
  action({ terminal }, { json = false }) {
    const token = newToken();
    if (json) terminal.printJson({ token });
    else terminal.print(token);
  },
});
