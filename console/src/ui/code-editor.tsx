import { json, jsonParseLinter } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { tags } from '@lezer/highlight';
import { EditorView, basicSetup } from 'codemirror';
import { useEffect, useRef } from 'preact/hooks';

const LOOK = EditorView.theme({
  '&': {
    backgroundColor: 'var(--sunken)',
    border: '1px solid var(--line)',
    borderRadius: '0.4rem',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    fontSize: '0.87rem',
    maxHeight: '32rem',
    minHeight: '8rem',
  },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--faint)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--ground)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft) !important',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line)' },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--busy)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

/** Edits JSON, with its mistakes marked while one types. The keyboard leaves it by Escape, then Tab. */
export function CodeEditor({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const changed = useRef(onChange);
  changed.current = onChange;

  useEffect(() => {
    // In a document it would write style elements, which the content policy refuses; in a shadow it adopts sheets.
    const root = place.current!.shadowRoot ?? place.current!.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root,
      parent: root,
      doc: value,
      extensions: [
        basicSetup,
        json(),
        linter(jsonParseLinter()),
        LOOK,
        syntaxHighlighting(COLOURS),
        EditorView.lineWrapping,
        // What scrolls is come to by its text.
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) changed.current(state.doc.toString());
        }),
      ],
    });
    editor.current = view;
    return () => view.destroy();
  }, [label]);

  // What was put in from elsewhere, e.g. another sample.
  useEffect(() => {
    const view = editor.current;
    if (view === null || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={place} />;
}
