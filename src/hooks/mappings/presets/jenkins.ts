import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Jenkins: the JSON of the Notification plugin, which a Pipeline sends with the HTTP Request plugin (it can set headers).
 * Build numbers begin again when a job is made anew, so the time of the build is in the key.
 */
export const jenkins: Preset = {
  id: 'jenkins',
  match: { path: 'jenkins' },
  setup: [
    'Manage Jenkins → Credentials: add a Secret text with the id hook-token and the value {token}.',
    "In the Pipeline's post section, send the build with the HTTP Request plugin to {url}; docs/presets.md has the code.",
  ],
  name: 'Jenkins',
  task: report(
    'A build server (Jenkins) reports a build.',
    'If it failed or is unstable, tell the person you serve in at most four short sentences which job and build, on which branch, what broke as far as the log shows, and what to look at first.',
    'A build that began, succeeded or was aborted is one short sentence.',
  ),
  messageTemplate: [
    'Jenkins: {{ name }} #{{ build.number }} {{ build.phase }}',
    '{{ build.status }}',
    '{{ build.scm.branch }}',
    '{{ build.scm.commit }}',
    '{{ build.notes }}',
    '{{ build.log }}',
    '{{ build.full_url }}',
  ],
  dedupeKey:
    '{{ build.full_url || build.url }} {{ build.timestamp }} {{ build.phase }} {{ build.status || build.phase }}',
};
