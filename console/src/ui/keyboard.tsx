import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import { VIEWS } from '../views/index.ts';
import { Visible } from './foreign-text.tsx';

// The console without a mouse: what each key does, and where one can go by typing.

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'search events'],
  ['j, k', 'the next row, the one before'],
  ['Enter', 'open the row'],
  ['x', 'select the event'],
  ['Ctrl K', 'go to a view, an event or a search'],
  ['Esc', 'close, leave a field, or go back'],
  ['?', 'these keys'],
];

/** What j and k move through, in the order of the page. */
const ROWS = 'main :is(.attention > li, .event-row, tbody tr)';
/** Where keys are letters. */
const TYPED_INTO = 'input:not([type="checkbox"]), select, textarea, [contenteditable="true"]';

const shown = signal<'keys' | 'go' | null>(null);

/** Hears keys everywhere in the console. */
export function Keyboard() {
  const [location, go] = useLocation();
  useEffect(() => {
    const search = () => {
      const field = document.querySelector<HTMLElement>('main [type="search"]');
      if (field === null) go('/events', { state: SEARCH });
      else field.focus();
    };
    const back = () => {
      if (/^\/events\/./.test(location)) history.back();
    };
    const keys: Readonly<Record<string, () => void>> = {
      '/': search,
      j: () => move(1),
      k: () => move(-1),
      Enter: openRow,
      x: () => rowOfFocus()?.querySelector<HTMLElement>('[type="checkbox"]')?.click(),
      Escape: back,
      '?': () => (shown.value = 'keys'),
    };
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const target = event.target as HTMLElement;
      if ((ctrlKey || metaKey) && key === 'k') {
        event.preventDefault();
        shown.value = 'go';
      } else if (target.matches(TYPED_INTO)) {
        if (key === 'Escape') target.blur();
      } else if (
        !ctrlKey &&
        !metaKey &&
        !altKey &&
        document.querySelector('dialog[open]') === null
      ) {
        const act = keys[key];
        // Enter on what is a link or a button does what it says.
        if (act === undefined || (key === 'Enter' && target.matches('a, button, summary'))) return;
        event.preventDefault();
        act();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [location]);
  if (shown.value === null) return null;
  return shown.value === 'keys' ? <Keys /> : <GoTo />;
}

/** The state of a page that begins in its search field. */
export const SEARCH = { isSearch: true };

function rowOfFocus(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>(ROWS) ?? null;
}

function move(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
  const here = rowOfFocus();
  const next = here === null ? rows[0] : rows[rows.indexOf(here) + by];
  if (next === undefined) return;
  next.tabIndex = -1;
  next.focus();
}

/** What it leads to, or unfolds; never what a button of it does. */
function openRow(): void {
  rowOfFocus()?.querySelector<HTMLElement>('a[href], summary')?.click();
}

function Keys() {
  return (
    <Dialog label="Keys">
      <h2>Keys</h2>
      <dl class="facts">
        {KEYS.flatMap(([keys, what]) => [
          <dt key={keys}>
            <kbd>{keys}</kbd>
          </dt>,
          <dd key={what}>{what}</dd>,
        ])}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}

const REFUSED = { title: 'Refused and repeated requests', path: '/events?show=refused' };

const EVENT_ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

function GoTo() {
  const [typed, type] = useState('');
  const [, go] = useLocation();
  const words = typed.trim();
  const views = [...VIEWS, REFUSED].filter(({ title }) =>
    title.toLowerCase().includes(words.toLowerCase()),
  );
  const places = [
    ...views,
    ...(EVENT_ID.test(words) ? [{ title: `Event ${words}`, path: `/events/${words}` }] : []),
    ...(words === ''
      ? []
      : [
          {
            title: `Events with “${words}”`,
            path: `/events?search=${encodeURIComponent(words)}`,
          },
        ]),
  ];
  const leave = () => (shown.value = null);
  return (
    <Dialog label="Go to">
      <form
        class="page"
        onSubmit={(event) => {
          event.preventDefault();
          go(places[0]!.path);
          leave();
        }}
      >
        <label for="go-to">Go to</label>
        <input
          id="go-to"
          autoComplete="off"
          autoFocus
          value={typed}
          placeholder="a view, the id of an event, or words to search for"
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
        <ul class="plain">
          {places.map(({ title, path }) => (
            <li key={path}>
              <Link href={path} onClick={leave}>
                <Visible text={title} />
              </Link>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  );
}

/** Closed by Esc, which is the browser's part; what had the focus has it again then. */
function Dialog({ label, children }: { label: string; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={label} onClose={() => (shown.value = null)}>
      {children}
    </dialog>
  );
}
