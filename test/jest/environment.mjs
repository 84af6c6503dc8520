// The realm of Jest's own modules. Tests run in the worker's (runtime.mjs), where all its files follow each other: what one
// of them left behind is taken away when it ends.
import { TestEnvironment } from 'jest-environment-node';

// `expect.any(String)` asks for the String of its own realm.
const SHARED = [
  'String',
  'Number',
  'Boolean',
  'BigInt',
  'Symbol',
  'Object',
  'Array',
  'Function',
  'Error',
  'TypeError',
  'RangeError',
  'Map',
  'Set',
  'Date',
  'RegExp',
  'Promise',
];

export default class WorkerEnvironment extends TestEnvironment {
  #globals = Object.getOwnPropertyDescriptors(globalThis);
  #env = { ...process.env };
  #listeners = process.eventNames().flatMap((event) => process.listeners(event));

  constructor(config, context) {
    super(config, context);
    for (const name of SHARED) this.global[name] = globalThis[name];
    this.global.process = process;
    globalThis.console = context.console;
    globalThis.jest = this.moduleMocker;
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    Object.defineProperties(globalThis, this.#globals);
    for (const event of process.eventNames()) {
      for (const listener of process.listeners(event)) {
        if (!this.#listeners.includes(listener)) process.off(event, listener);
      }
    }
    for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.#env);
    await super.teardown();
  }
}
