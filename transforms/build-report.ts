// An example: a build server's report becomes a run for a failure, a quiet line for a recovery, and nothing otherwise.
//
//   mappings: [{ id: 'build', sessionKey: 'hook:build:', transform: { module: 'build-report.ts' } }]
//
// The import is for the editor only; nothing of it is left when the transform runs.
import type { TransformContext, TransformResult } from 'nestjs-agent-hooks/transform';

/** The fields this example reads. The payload is a stranger's: expect anything to be missing. */
interface BuildReport {
  readonly status?: string;
  readonly branch?: string;
  readonly number?: number;
  readonly failures?: readonly { readonly test?: string; readonly message?: string }[];
}

export default function buildReport({ payload }: TransformContext<BuildReport>): TransformResult {
  const { status, branch = 'unknown', number = 0, failures = [] } = payload;

  // null: nothing is to be done, the sender is answered 204.
  if (status !== 'failed' && status !== 'fixed') return null;

  // A wake is a line for the main session; it waits for the agent's next heartbeat.
  if (status === 'fixed') {
    return { kind: 'wake', text: `Build of ${branch} is green again`, mode: 'next-heartbeat' };
  }

  // What is written to the console is in the event's story: GET /ops/api/events/<eventId>.
  console.log(`build ${number} of ${branch}:`, failures.length, 'failures');

  const lines = failures
    .slice(0, 20)
    .map(({ test = '?', message = '' }) => `- ${test}: ${message}`);
  return {
    name: 'Build',
    message: [`Build ${number} of ${branch} failed.`, '', ...lines].join('\n'),
    // One session per branch. It must begin with the mapping's own sessionKey.
    sessionKey: `hook:build:${branch}`,
    // Fields that are left out are as the mapping says.
    timeoutSeconds: 300,
  };
}
