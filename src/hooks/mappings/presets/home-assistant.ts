import type { Preset } from './preset.ts';

/**
 * Home Assistant, `rest_command` or RESTful notifications: the body is the automation's own; docs/presets.md has the one
 * that fits. `id` is the context id of the state change.
 */
export const homeAssistant: Preset = {
  id: 'home-assistant',
  match: { path: 'home-assistant' },
  name: 'Home Assistant',
  messageTemplate: [
    'Home Assistant',
    '{{ title }}',
    '{{ message }}',
    '{{ entity_id }} {{ state }}',
    '{{ url }}',
  ],
  dedupeKey: '{{ id }}',
};
