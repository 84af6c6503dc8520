import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { ForeignText, Visible } from './foreign-text.tsx';

// A reply as a person reads it: headings, lists, code and emphasis of Markdown, all of it text. A link shows where it
// leads and leads nowhere, an image is its source, HTML is what it says.

/** Longer ones are shown as they came. */
const LONGEST = 20_000;

export function Reply({ text }: { text: string }) {
  const [isSource, showSource] = useState(text.length > LONGEST);
  return (
    <div class="reply">
      {isSource ? (
        <ForeignText label="Reply" text={text} />
      ) : (
        <div role="group" aria-label="Reply">
          {blocksOf(text)}
        </div>
      )}
      {text.length <= LONGEST && (
        <button type="button" class="quiet small" onClick={() => showSource(!isSource)}>
          {isSource ? 'Show as text' : 'Show the source'}
        </button>
      )}
    </div>
  );
}

/** With a line break of another kind in it a line is a line all the same, and is read once. */
const LINE =
  /^(?:(?<fence>```).*|#{1,6} +(?<heading>.+)|\s*(?:[-*+]|\d{1,9}[.)]) +(?<item>.+)|> ?(?<quote>.*)|\s*(?<blank>))$/s;

function blocksOf(text: string): ComponentChild[] {
  const blocks: ComponentChild[] = [];
  const add = (block: (key: number) => ComponentChild) => blocks.push(block(blocks.length));
  const lines = text.split('\n');
  while (lines.length > 0) {
    const kind = kindOf(lines[0]!);
    const end = lines.findIndex((line, at) => at > 0 && kindOf(line) !== kind);
    if (kind === 'fence') {
      lines.shift();
      const close = lines.findIndex((line) => line.startsWith('```'));
      const code = lines.splice(0, close === -1 ? lines.length : close);
      lines.shift();
      add((key) => (
        <pre key={key} tabIndex={0}>
          <Visible text={code.join('\n')} />
        </pre>
      ));
      continue;
    }
    const alike = lines.splice(0, kind === 'heading' ? 1 : end === -1 ? lines.length : end);
    const words = alike.map((line) => LINE.exec(line)?.groups?.[kind] ?? line);
    if (kind === 'blank') continue;
    add((key) => {
      if (kind === 'heading') return <h3 key={key}>{inline(words[0]!)}</h3>;
      if (kind === 'quote') return <blockquote key={key}>{inline(words.join('\n'))}</blockquote>;
      if (kind === 'text') return <p key={key}>{inline(words.join('\n'))}</p>;
      const items = words.map((word, at) => <li key={at}>{inline(word)}</li>);
      return /^\s*\d/.test(alike[0]!) ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
    });
  }
  return blocks;
}

function kindOf(line: string): string {
  const groups = LINE.exec(line)?.groups ?? {};
  return Object.keys(groups).find((name) => groups[name] !== undefined) ?? 'text';
}

/** Without nesting, so that nothing is looked at twice. */
const MARKED =
  /`(?<code>[^`\n]+)`|\*\*(?<strong>[^*\n]+)\*\*|(?<![\w*])[*_](?<em>[^*_\n]+)[*_](?![\w*])|\[(?<link>[^[\]\n]+)\]\((?<to>[^)\s]+)\)/g;

function inline(text: string): ComponentChild[] {
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(MARKED)) {
    const { code, strong, em, link, to } = groups;
    parts.push(<Visible key={end} text={text.slice(end, index)} />);
    const words = <Visible text={code ?? strong ?? em ?? link ?? ''} />;
    if (code !== undefined) parts.push(<code>{words}</code>);
    else if (strong !== undefined) parts.push(<strong>{words}</strong>);
    else if (em !== undefined) parts.push(<em>{words}</em>);
    else {
      parts.push(words, ' (', <code>{<Visible text={to ?? ''} />}</code>, ')');
    }
    end = index + whole.length;
  }
  return [...parts, <Visible key={end} text={text.slice(end)} />];
}
