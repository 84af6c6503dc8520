import type { ComponentChild, ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

// Text that somebody else wrote: shown as text whatever it holds, with what one could not see made visible.

/**
 * An emoji, whose joiners are what they look like, or a character that one would not see: control, zero-width,
 * bidirectional, tag and variation characters. Line feeds and tabs are seen.
 */
const EMOJI_OR_HIDDEN =
  /\p{RGI_Emoji}|(?<hidden>[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]])/gv;

/** More than this is shown only when it is asked for: a browser that draws a million characters stands still. */
const SHOWN = 20_000;

/** A block of foreign text, as it came. */
export function ForeignText({ text, label }: { text: string; label: string }) {
  return (
    <LongText text={text} label={label}>
      {(shown) => <Visible text={shown} />}
    </LongText>
  );
}

/** The beginning of a text, and all of it once somebody asks. */
export function LongText(props: {
  text: string;
  label: string;
  children: (shown: string) => ComponentChildren;
}) {
  const { text, label, children } = props;
  const [isWhole, showWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, SHOWN);
  return (
    <div class="foreign">
      <pre tabIndex={0} aria-label={label}>
        {children(shown)}
      </pre>
      {shown.length < text.length && (
        <button type="button" class="quiet" onClick={() => showWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </div>
  );
}

/** Text with a mark for each character that one would not see. */
export function Visible({ text }: { text: string }) {
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const { groups, index } of text.matchAll(EMOJI_OR_HIDDEN)) {
    const hidden = groups?.['hidden'];
    if (hidden === undefined) continue;
    parts.push(text.slice(end, index), <Hidden key={index} character={hidden} />);
    end = index + hidden.length;
  }
  parts.push(text.slice(end));
  return <bdi>{parts}</bdi>;
}

function Hidden({ character }: { character: string }) {
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return (
    <mark class="hidden" title="A character that is not visible">
      U+{code}
    </mark>
  );
}
