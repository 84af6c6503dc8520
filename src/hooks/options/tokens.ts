/** What the host gave to `forRoot` or `forRootAsync`. */
export const HOOKS_MODULE_OPTIONS = Symbol('HOOKS_MODULE_OPTIONS');
