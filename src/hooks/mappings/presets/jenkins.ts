import type { Preset } from './preset.ts';

/**
 * Jenkins: the JSON of the Notification plugin, which a Pipeline sends with the HTTP Request plugin (it can set headers).
 * Build numbers begin again when a job is made anew, so the time of the build is in the key.
 */
export const jenkins: Preset = {
  id: 'jenkins',
  match: { path: 'jenkins' },
  name: 'Jenkins',
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
    '{{ build.full_url }} {{ build.url }} {{ build.timestamp }} {{ build.phase }} {{ build.status }}',
};
