import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { appendFileSync } from 'node:fs';
import { testTools } from './test-tools.ts';

// The first argument is a file that learns of every start, by process id.
const diary = process.argv[2];
if (diary !== undefined) appendFileSync(diary, `${process.pid}\n`);
await testTools().connect(new StdioServerTransport());
