// Loads packages once in each worker: for every file anew, that was half of what the files of the suite took to begin.
// Modules of ours stay a file's own. All files of a worker share the realm (jest-environment.mjs).
import Runtime from 'jest-runtime';

/** Loads packages. It is never torn down, so that what they require later is found. */
let packages;

export default class SharedPackages extends Runtime {
  #given;

  constructor(...given) {
    super(...given);
    this.#given = given;
  }

  /** @param name as a module of ours imports it: resolved */
  requireModuleOrMock(from, name) {
    if (!name.includes('/node_modules/')) return super.requireModuleOrMock(from, name);
    packages ??= new Runtime(...this.#given);
    return packages.requireModuleOrMock(from, name);
  }
}

// Jest requires it.
export { SharedPackages as 'module.exports' };
