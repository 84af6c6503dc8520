import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Notion, webhooks of an integration: comments and new pages, of people. Edits of pages and databases come at every
 * keystroke that settles, and what bots do, the own integration included, would come back as an event: neither is taken.
 * Notion sends ids and no words at all: what was written is for an agent that has a tool for Notion, and a task of yours
 * that lets it read there.
 */
export const notion: Preset = {
  id: 'notion',
  match: { path: 'notion' },
  verify: { scheme: 'notion' },
  setup: [
    'notion.so/profile/integrations → your integration → Webhooks → Create a subscription: Webhook URL {url}, events Comment created and Page created.',
    'Give the integration access to the pages (••• → Connections), and the capability Read comments.',
    'Keep hooks setup notion waiting: Notion posts a verification_token to the address once, unsigned; the gateway takes it then, and no other time.',
    'The verification_token that it shows is the signing secret. Enter it in Notion, too (Verify).',
  ],
  name: 'Notion',
  task: report(
    'Somebody commented on a page in Notion, or made a new one.',
    'Notion sends no words and no names: tell the person you serve in one short sentence what happened in which workspace, and give the link.',
  ),
  when: {
    'payload.type': ['comment.created', 'page.created'],
    'payload.authors[].type': { any: 'person' },
  },
  messageTemplate: [
    'Notion: {{ type }}',
    'Workspace: {{ workspace_name || workspace_id }}',
    'Page: https://www.notion.so/{{ data.page_id || entity.id }}',
    { line: 'Comment: {{ entity.id }}', when: { 'payload.entity.type': 'comment' } },
    {
      line: 'In the {{ data.parent.type }}: {{ data.parent.id }}',
      // A comment on a page has that page as its parent.
      when: { or: [{ 'payload.entity.type': 'page' }, { 'payload.data.parent.type': 'block' }] },
    },
    { each: 'authors', line: 'By the {{ item.type }}: {{ item.id }}', most: 5 },
    'At: {{ timestamp | date }}',
  ],
  sessionKey: 'hook:notion:{{ data.page_id || entity.id }}',
  dedupeKey: '{{ id }}',
  // A retry counts itself in attempt_number; the id is that of the event.
  dedupeOn: 'key',
};
