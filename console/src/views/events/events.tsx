import { EventList } from './event-list.tsx';
import type { ViewProps } from '../index.ts';
import { Story } from './story.tsx';
import './events.css';

/** Everything that came: the list, or the story of the event that the address names. */
export default function Events({ params: { id } }: ViewProps) {
  return id === undefined ? <EventList /> : <Story id={id} />;
}
