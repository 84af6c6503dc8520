// What the service uses of its console.
export { ConsoleModule } from './console.module.ts';
