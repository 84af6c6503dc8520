import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import type { Resource } from '../api/resource.ts';
import { Icon } from './icon.tsx';

/** A view: its title, what can be done with it as a whole, and what it shows. */
export function Page(props: {
  title: ComponentChildren;
  actions?: ComponentChildren;
  /** The title may take lines of its own: then the actions stand above it, where they are for every title. */
  isLong?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section class="page">
      <div class={props.isLong === true ? 'page-head long' : 'page-head'}>
        <h1>{props.title}</h1>
        <div class="actions">{props.actions}</div>
      </div>
      {props.children}
    </section>
  );
}

/** Shows what was loaded; until then that it is awaited, and why it did not come. */
export function Loaded<T>({
  from,
  children,
}: {
  from: Resource<T>;
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = from;
  return (
    <>
      {error !== undefined && error.code !== 'unreachable' && (
        <Failed error={error} reload={reload} />
      )}
      {data !== undefined && children(data)}
      {data === undefined && error === undefined && <p class="waiting">Loading …</p>}
    </>
  );
}

export function Failed({ error, reload }: { error: ApiError; reload?: () => void }) {
  return (
    <div class="callout bad" role="alert">
      <Icon name="alert" />
      <div>{error.message}</div>
      {reload !== undefined && (
        <button type="button" onClick={reload}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Nothing to show, and what one would do to have something. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}
