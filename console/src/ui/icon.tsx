/** The drawings, each in a square of 24 with lines of 2. */
const PATHS = {
  hook: 'M8 4v8a4.500 4.500 0 0 0 9 0v-2m0 0-3 2.500M17 10l3 2.500',
  now: 'M3 12h4l3-8 4 16 3-8h4',
  events: 'M4 6h16M4 12h16M4 18h10',
  decisions: 'M12 4v4M12 20v-6M5 8h11l3 3-3 3H5z',
  try: 'M9 3v6l-5 9a2 2 0 0 0 2 3h12a2 2 0 0 0 2-3l-5-9V3M8 3h8',
  sessions: 'M4 5h16v11H9l-5 4z',
  hooks:
    'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1m2 3.500a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1',
  channels: 'M21 3 3 11l7 3 3 7zM10 14l4-4',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  tokens: 'M14 10a4 4 0 1 1-1-1l7-7M17 5l2 2',
  usage: 'M5 20v-7M10 20V8M15 20v-5M20 20V4',
  audit: 'M6 5h12v16H6zM9 3h6v4H9zM9 12h6M9 16h4',
  configuration: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500 19 19M5 19l1.500-1.500M17.500 6.500 19 5',
  moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10',
  contrast: 'M12 3a9 9 0 1 1 0 18zM12 3a9 9 0 0 0 0 18',
  out: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  link: 'M9 15l6-6M10 6l2-2a4 4 0 0 1 6 6l-2 2M14 18l-2 2a4 4 0 0 1-6-6l2-2',
  again: 'M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5',
  done: 'M5 13l4 4L19 7',
  alert: 'M12 4 2 20h20zM12 10v4M12 17v.5',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside a word; whoever cannot see it misses nothing. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
