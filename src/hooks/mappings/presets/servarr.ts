import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Sonarr and Radarr, which send the same events of series and of films. Taken is what is new to watch, what waits for
 * somebody to decide, and what is broken. Releases that were found (most become an import), upgrades of what was there,
 * renamed and deleted files, updates of the program and tests are not taken. Neither sends anything again on its own; events
 * without a download are alike when they happen again, so only imports are known by a key.
 */
function servarr(id: 'sonarr' | 'radarr', own: Pick<Preset, 'name' | 'setup'> & Medium): Preset {
  const { name, setup, what, thing, lines } = own;
  return {
    id,
    match: { path: id },
    setup,
    name,
    task: report(
      `A program that fetches ${what} for the person you serve (${name}) reports something.`,
      'Something new to watch is one short sentence: what it is.',
      'Of a download that waits for their decision, or of a problem of the program, tell them in at most three short sentences what it is and what they can do about it; a problem that is over is one short sentence.',
    ),
    when: {
      'payload.eventType': ['Download', 'ManualInteractionRequired', 'Health', 'HealthRestored'],
      'payload.isUpgrade': { not: true },
    },
    messageTemplate: [
      `${name}: {{ eventType }}`,
      ...lines,
      'Quality: {{ movieFile.quality || episodeFile.quality || episodeFiles[0].quality || downloadInfo.quality }}',
      'Release: {{ release.releaseTitle || downloadInfo.title }}',
      'Level: {{ level }}',
      'Check: {{ type }}',
      '{{ message | max 1000 }}',
      'Download status: {{ downloadStatus }}',
      {
        each: 'downloadStatusMessages',
        line: '- {{ item.title }}: {{ item.messages | max 1000 }}',
        most: 10,
      },
      'Help: {{ wikiUrl }}',
      'Instance: {{ instanceName }}',
      '{{ applicationUrl }}',
    ],
    sessionKey: `hook:${id}:{{ ${thing}.id || type }}`,
    dedupeKey: `{{ eventType }} {{ downloadId }} {{ episodes || ${thing}.id }}`,
  };
}

interface Medium {
  readonly what: string;
  readonly thing: 'series' | 'movie';
  readonly lines: Extract<Preset['messageTemplate'], readonly unknown[]>;
}

const ADD =
  'Settings → Connect → + → Webhook: URL {url}, Method POST, Username hooks, Password {token}.';

export const sonarr: Preset = servarr('sonarr', {
  name: 'Sonarr',
  what: 'series',
  thing: 'series',
  lines: [
    'Series: {{ series.title }}',
    'Year: {{ series.year }}',
    {
      each: 'episodes',
      line: 'Season {{ item.seasonNumber }}, episode {{ item.episodeNumber }}: {{ item.title }}',
      most: 10,
    },
  ],
  setup: [
    ADD,
    'Notification Triggers: On Import Complete, On Health Issue, On Health Restored, On Manual Interaction Required; not On File Import, which sends every file of a season by itself.',
    'Test sends a test message, which is answered 200 and skipped.',
  ],
});

export const radarr: Preset = servarr('radarr', {
  name: 'Radarr',
  what: 'films',
  thing: 'movie',
  lines: ['Film: {{ movie.title }}', 'Year: {{ movie.year }}'],
  setup: [
    ADD,
    'Notification Triggers: On File Import, On Health Issue, On Health Restored, On Manual Interaction Required.',
    'Test sends a test message, which is answered 200 and skipped.',
  ],
});
