import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Home Assistant, `rest_command` or RESTful notifications: the body is the automation's own; docs/presets.md has the one
 * that fits. `id` is the context id of the state change.
 */
export const homeAssistant: Preset = {
  id: 'home-assistant',
  match: { path: 'home-assistant' },
  setup: [
    'In secrets.yaml: hook_authorization: "Bearer {token}".',
    'In configuration.yaml, add a rest_command that posts to {url}; docs/presets.md has it.',
    'Call it in an automation.',
  ],
  name: 'Home Assistant',
  task: report(
    'The home automation (Home Assistant) reports something from the house.',
    'Tell the person you serve in at most three short sentences what happened, where, and what they should do now, if anything; smoke, gas, water, break-in and anything that cannot wait come first and plainly.',
    'An ordinary change is one short sentence.',
  ),
  messageTemplate: [
    'Home Assistant',
    '{{ title }}',
    '{{ message }}',
    '{{ entity_id }} {{ state }}',
    '{{ url }}',
  ],
  dedupeKey: '{{ id }}',
};
