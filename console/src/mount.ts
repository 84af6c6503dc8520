/** Where the console is served, e.g. `https://host/console/`: its code lies in `assets/` below. */
export const MOUNT = new URL(import.meta.env.DEV ? '/' : '..', import.meta.url);

/** Where the operator API is served, beside the console. */
export const OPERATOR = new URL(import.meta.env.DEV ? '/' : '..', MOUNT);

/** The address of the console's own pages, for its router: without a slash at the end. */
export const BASE = MOUNT.pathname.slice(0, -1);
