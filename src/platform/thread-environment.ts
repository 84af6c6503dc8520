/**
 * The environment of a thread of ours: nothing of the process's, but for one that begins from sources. Node strips their
 * types, and is told where it may keep what it stripped, or every thread would begin by loading a compiler.
 * @param url of the module that starts the thread
 */
export function threadEnvironment(url: string): Record<string, string> {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  return url.endsWith('.ts') && cache !== undefined ? { NODE_COMPILE_CACHE: cache } : {};
}
