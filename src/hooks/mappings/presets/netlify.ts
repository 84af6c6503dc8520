import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Netlify, HTTP POST requests of deploy notifications and form notifications: deploys that failed or wait for somebody
 * to allow them, and what visitors filled in. Deploys that began or went well are not taken, nor are those that Netlify
 * calls failed because somebody, or its own rule for unchanged content, cancelled them.
 */
export const netlify: Preset = {
  id: 'netlify',
  match: { path: 'netlify' },
  verify: { scheme: 'netlify' },
  setup: [
    'Project configuration → Notifications → Deploy notifications → Add notification → HTTP POST request: event Deploy failed, URL to notify {url}, JWS secret token {secret}.',
    'The same for Deploy request pending, if strangers can open pull requests.',
    'For forms, the same under Notifications → Form submission notifications.',
  ],
  name: 'Netlify',
  task: report(
    'A hosting service (Netlify) reports a deploy of a site of the person you serve, or what a visitor entered into a form there.',
    'Of a deploy, tell them in at most two short sentences which site and branch it is, whether it is production, after which change of whom, and what failed as far as Netlify says it, or that the deploy waits for them to allow it; name the link.',
    'Of a form, tell them in at most three short sentences who writes and what that visitor wants of them; keep names, addresses and dates exact, and call it spam in one short sentence if it is.',
  ),
  cases: [
    {
      id: 'netlify-deploy',
      when: {
        'payload.site_id': { exists: true },
        'payload.state': ['error', 'pending_review'],
        'payload.error_message': { not: { startsWith: ['Canceled', 'Skipped'] } },
      },
      messageTemplate: [
        'Netlify: deploy of {{ name }}, {{ state }}',
        'Context: {{ context }}',
        'Branch: {{ branch }}',
        'Change: {{ title | max 500 }}',
        'By: {{ committer }}',
        '{{ error_message | max 2000 }}',
        'Commit: {{ commit_url || commit_ref }}',
        'Pull request: {{ review_url }}',
        '{{ admin_url }}/deploys/{{ id }}',
      ],
      sessionKey: 'hook:netlify:{{ site_id }}',
      dedupeKey: '{{ id }} {{ state }}',
    },
    {
      id: 'netlify-form',
      when: { 'payload.form_id': { exists: true }, 'payload.data': { exists: true } },
      messageTemplate: [
        'Netlify: form {{ form_name }} of {{ site_url }}',
        {
          each: 'ordered_human_fields',
          line: '{{ item.title }}: {{ item.value | max 4000 }}',
          most: 30,
        },
        'At: {{ created_at | date }}',
        'Page: {{ data.referrer }}',
      ],
      sessionKey: 'hook:netlify:form:{{ form_id }}',
      dedupeKey: '{{ id }}',
    },
  ],
};
