export { hasConsole } from './built-console.ts';
export { ConsoleModule } from './console.module.ts';
export { HooksConsoleModule } from './hooks-console.module.ts';
export type { HooksConsoleOptions } from './hooks-console.module.ts';
