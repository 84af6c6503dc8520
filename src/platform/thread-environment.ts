/** Nothing of the process's but where Node keeps stripped types. @param url of the module that starts the thread */
export function threadEnvironment(url: string): Record<string, string> {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  return url.endsWith('.ts') && cache !== undefined ? { NODE_COMPILE_CACHE: cache } : {};
}
