// Node itself loads what tests import, once in each worker: Jest's own loader made that half of what a file costs. The file
// of the tests alone is loaded anew each time. No module can be mocked, then, and none is.
import { pathToFileURL } from 'node:url';
import Runtime from 'jest-runtime';
import { sourceMaps } from './typescript.mjs';

let files = 0;

export default class NodeModules extends Runtime {
  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    Object.assign(globalThis, globals);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    const { href } = pathToFileURL(path);
    files += 1;
    return import(path.endsWith('spec.ts') ? `${href}?${files}` : href);
  }

  getSourceMaps() {
    return sourceMaps;
  }
}

// Jest requires it.
export { NodeModules as 'module.exports' };
