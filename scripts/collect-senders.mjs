// A step of the build: the folders of dist/senders become dist/senders.json, checked, so that a start opens one file and parses plain
// JSON. The folders stay, for people to copy and for their samples.
import { writeFileSync } from 'node:fs';
import 'reflect-metadata';
import { checkFolders } from '../dist/hooks/senders/check.js';
import { COLLECTED, OWN_FOLDERS, readFolders } from '../dist/hooks/senders/folders.js';

const folders = readFolders(OWN_FOLDERS);
const problems = checkFolders(folders, 'src/senders');
for (const { key, message } of problems) process.stderr.write(`${key} ${message}\n`);
if (problems.length > 0) process.exitCode = 1;
else writeFileSync(COLLECTED, JSON.stringify(folders));
