/**
 * The console and the operator API of a `HooksModule`, for the application that imports it. The standalone service has
 * both.
 */
import './platform/required-node.ts';
export { HooksConsoleModule } from './service/console/index.ts';
export type { HooksConsoleOptions } from './service/console/index.ts';
