import type { Problem } from '../hooks/index.ts';

/** Variables by name; the process's own or those of .env. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** `${NAME}`, or `$${NAME}` which stays `${NAME}`. */
const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A copy of `value` with every `${NAME}` in its strings replaced; a variable that is unset or empty is a problem. */
export function expandVariables(
  value: unknown,
  env: Environment,
): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  return { value: new Expansion(env, problems).of(value, ''), problems };
}

class Expansion {
  constructor(
    private readonly env: Environment,
    private readonly problems: Problem[],
  ) {}

  of(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.text(value, key);
    if (Array.isArray(value)) return value.map((item, index) => this.of(item, `${key}[${index}]`));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, inner]) => [
      name,
      this.of(inner, key === '' ? name : `${key}.${name}`),
    ]);
    return Object.fromEntries(entries);
  }

  private text(value: string, key: string): string {
    return value.replace(REFERENCE, (reference, escape: string, name: string) => {
      if (escape !== '') return reference.slice(1);
      const replacement = this.env[name] ?? '';
      if (replacement.trim() === '') this.problems.push(unset(key, name));
      return replacement;
    });
  }
}

function unset(key: string, name: string): Problem {
  const message = `names the variable ${name}, which is not set or empty; set it in the environment or in .env`;
  return { key, message };
}
