import type { ComponentType } from 'preact';
import { lazy } from 'preact/compat';
import type { IconName } from '../ui/icon.tsx';

/** A view of the console: a new one is one file and one row. */
export interface View {
  /** Below /console. */
  readonly path: string;
  /** Further addresses of it, with the names of what they show: `/events/:id`. */
  readonly pages?: readonly string[];
  readonly title: string;
  readonly icon: IconName;
  /** Loaded when it is first shown. */
  readonly view: ComponentType<ViewProps>;
}

/** What the address says besides the view. */
export interface ViewProps {
  readonly params: Readonly<Record<string, string | undefined>>;
}

export const VIEWS: readonly View[] = [
  { path: '/', title: 'Now', icon: 'now', view: lazy(() => import('./now/now.tsx')) },
  {
    path: '/events',
    pages: ['/events/:id'],
    title: 'Events',
    icon: 'events',
    view: lazy(() => import('./events/events.tsx')),
  },
  {
    path: '/decisions',
    title: 'Decisions',
    icon: 'decisions',
    view: lazy(() => import('./decisions.tsx')),
  },
  { path: '/try', title: 'Try', icon: 'try', view: lazy(() => import('./try/try.tsx')) },
  {
    path: '/sessions',
    title: 'Sessions',
    icon: 'sessions',
    view: lazy(() => import('./sessions.tsx')),
  },
  { path: '/hooks', title: 'Hooks', icon: 'hooks', view: lazy(() => import('./hooks.tsx')) },
  {
    path: '/channels',
    title: 'Channels',
    icon: 'channels',
    view: lazy(() => import('./channels.tsx')),
  },
  {
    path: '/tokens',
    title: 'Tokens',
    icon: 'tokens',
    view: lazy(() => import('./tokens/tokens.tsx')),
  },
  { path: '/usage', title: 'Usage', icon: 'usage', view: lazy(() => import('./usage.tsx')) },
  { path: '/audit', title: 'Audit', icon: 'audit', view: lazy(() => import('./audit.tsx')) },
  { path: '/mail', title: 'Mail', icon: 'mail', view: lazy(() => import('./mail.tsx')) },
  {
    path: '/configuration',
    title: 'Configuration',
    icon: 'configuration',
    view: lazy(() => import('./configuration.tsx')),
  },
];
