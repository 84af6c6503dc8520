import { nodeRefusal } from './node-version.ts';

// The first import of every face. On an older Node the import of the package ends here, with one sentence, before
// anything is evaluated that such a Node lacks. Node links all modules before it evaluates the first one: what an old
// Node does not have must not be a *named* import of a `node:` module anywhere behind a face.
const refusal = nodeRefusal(
  process.versions.node,
  'install a newer Node',
  'The package nestjs-agent-hooks',
);
if (refusal !== undefined) {
  const error = new Error(refusal);
  // The stack would only show Node's own loader.
  error.stack = refusal;
  throw error;
}
