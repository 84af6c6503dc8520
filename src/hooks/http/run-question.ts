import type { IncomingMessage } from 'node:http';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

/** The segment under the prefix below which runs are asked for. */
const RUN_PATH = /^runs\/([^/]+)$/;

const ASKING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Somebody asks what became of a run: not a hook, though the path lies among theirs. */
export interface RunQuestion {
  /** As it came; it may be no id at all. */
  readonly runId: string;
  /** With the query, which is {@link RunQuery}. */
  readonly url: string;
}

/** Query of `GET {hooks.path}/runs/<runId>`. */
export class RunQuery {
  /** How long to wait for the end of the run, in whole seconds, 0 to 60. Default: not at all. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(60)
  wait?: number;
}

/**
 * Whether a path is that of a run: exactly so in the raw URL, like the names of built-in hooks. What is sent there by POST
 * belongs to mappings.
 * @param name sub-path as it came
 */
export function isRunPath(name: string): boolean {
  return RUN_PATH.test(name);
}

/** The question that a request asks; undefined: it asks for no run. @param name sub-path as it came */
export function readQuestion(
  name: string,
  { method = '', url = '' }: IncomingMessage,
): RunQuestion | undefined {
  const [, runId] = ASKING.has(method) ? (RUN_PATH.exec(name) ?? []) : [];
  return runId === undefined ? undefined : { runId, url };
}
