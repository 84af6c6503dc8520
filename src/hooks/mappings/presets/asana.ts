import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Asana: what happens to tasks, as far as the filters of the webhook let it through; a list of events is one run. Every
 * eight hours Asana sends an empty list, which is not taken. It sends ids and no words: what was written is for an agent
 * that has a tool for Asana, and a task of yours that lets it read there.
 */
export const asana: Preset = {
  id: 'asana',
  match: { path: 'asana' },
  verify: { scheme: 'asana' },
  setup: [
    'Asana has no page for webhooks, only an API: app.asana.com/0/my-apps → Create new token (a personal access token).',
    'Keep hooks setup asana waiting: the gateway takes the secret that Asana sends in the next step, and no other time.',
    'POST https://app.asana.com/api/1.0/webhooks with Authorization: Bearer <access token> and {"data": {"resource": "<id of the project>", "target": "{url}", "filters": [{"resource_type": "task", "action": "added"}, {"resource_type": "task", "action": "changed", "fields": ["completed"]}]}}.',
  ],
  name: 'Asana',
  task: report(
    'Tasks of a project in Asana are new, or were completed or opened again.',
    'Asana sends no words and no names: tell the person you serve in one short sentence what happened to how many tasks, and give the links.',
  ),
  when: { 'payload.events[].action': { any: { exists: true } } },
  messageTemplate: [
    {
      each: 'events',
      line: '{{ item.created_at | date }} {{ item.resource.resource_type }} {{ item.action }} ({{ item.change.field || item.parent.resource_type }}): https://app.asana.com/0/0/{{ item.resource.gid }}',
      most: 20,
    },
  ],
  sessionKey: 'hook:asana',
  dedupeKey: '{{ events[0].created_at }} {{ events[0].action }} {{ events[0].resource.gid }}',
};
