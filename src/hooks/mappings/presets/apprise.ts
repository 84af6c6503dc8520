import type { Preset } from './preset.ts';

/**
 * Apprise, `json://` and `jsons://`: `{version, title, message, attachments, type}`. Nothing in it tells two
 * notifications apart and Apprise does not retry, so every request is a run of its own.
 */
export const apprise: Preset = {
  id: 'apprise',
  match: { path: 'apprise' },
  name: 'Apprise',
  messageTemplate: ['Apprise: {{ type }}', '{{ title }}', '{{ message }}'],
};
