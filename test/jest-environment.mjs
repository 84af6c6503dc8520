// One realm for all test files of a worker, so that the packages that the first of them loaded serve the others as well
// (jest-runtime.mjs). What a file left behind in it is taken away when it ends.
import { TestEnvironment } from 'jest-environment-node';

class SharedEnvironment extends TestEnvironment {
  #globals = {};
  #env = {};
  #exit;

  begin() {
    const { process } = this.global;
    this.#globals = Object.getOwnPropertyDescriptors(this.context);
    this.#env = { ...process.env };
    this.#exit = Reflect.get(process, 'exit');
  }

  async teardown() {
    this.fakeTimers.useRealTimers();
    this.fakeTimersModern.useRealTimers();
    this.moduleMocker.restoreAllMocks();
    const { context, global } = this;
    for (const name of Reflect.ownKeys(context)) {
      if (!Object.hasOwn(this.#globals, name)) Reflect.deleteProperty(global, name);
    }
    for (const name of Reflect.ownKeys(this.#globals)) {
      const { value } = this.#globals[name];
      if (value !== undefined && value !== context[name]) global[name] = value;
    }
    const { process } = global;
    for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.#env);
    process.exit = this.#exit;
  }
}

/** @type {SharedEnvironment | undefined} */
let shared;

/** Called by Jest as a constructor, once for each file. */
export default function environment(config, context) {
  shared ??= new SharedEnvironment(config, context);
  shared.begin();
  return shared;
}
