// A step of the build: the folders of dist/senders become dist/senders.json, so that a start opens one file and parses plain
// JSON. The folders stay, for people to copy and for their samples.
import { writeFileSync } from 'node:fs';
import { COLLECTED, OWN_FOLDERS, readFolders } from '../dist/hooks/senders/folders.js';

writeFileSync(COLLECTED, JSON.stringify(readFolders(OWN_FOLDERS)));
