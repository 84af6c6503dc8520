/** From nothing to do to something that must be done. */
export const SEVERITIES = ['ok', 'info', 'warning', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One thing a check has to say. */
export interface Finding {
  /** Name of the check. */
  readonly check: string;
  readonly severity: Severity;
  /** One sentence. Never a secret. */
  readonly what: string;
  /** What to do; null when there is nothing to do. */
  readonly fix: string | null;
}

/** What a check returns: a finding without its own name. */
export type Found = Omit<Finding, 'check'>;

export function ok(what: string): Found {
  return { severity: 'ok', what, fix: null };
}

export function info(what: string, fix: string | null = null): Found {
  return { severity: 'info', what, fix };
}

export function warning(what: string, fix: string): Found {
  return { severity: 'warning', what, fix };
}

export function error(what: string, fix: string): Found {
  return { severity: 'error', what, fix };
}
