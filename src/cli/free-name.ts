import type { Environment } from '../standalone/variables.ts';

/** `name`, or `name_2`, `name_3`, … when it has another value already: nobody else's secret is overwritten. */
export function freeName(name: string, value: string, env: Environment): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}_${number}`;
    const present = env[candidate] ?? '';
    if (present === '' || present === value) return candidate;
  }
}
