import JSON5 from 'json5';

export interface ExampleRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** `text` blocks: what an agent reads, one per action. */
  readonly texts: string[];
  /** `json` blocks with a `status`: the answer; with `console`: of the details; others: the first action. Of a preview: itself. */
  readonly results: Readonly<Record<string, unknown>>[];
}

export interface Example {
  readonly heading: string;
  readonly configuration: Readonly<Record<string, Record<string, unknown>>>;
  /** `ts` blocks: files of the configuration directory, named by the comment in their first line. */
  readonly files: { readonly name: string; readonly text: string }[];
  readonly requests: ExampleRequest[];
  /** `log` blocks: what the start is refused with, or warned of. */
  readonly log: string[];
}

const BLOCK = /^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gmu;

/** The executable examples of a page: a `json5` block begins one, `http` a request of it. */
export function readExamples(page: string): Example[] {
  const examples: Example[] = [];
  let heading = '';
  for (const [, title, language, code = ''] of page.matchAll(BLOCK)) {
    if (title !== undefined) heading = title;
    else if (language === 'json5') {
      examples.push({
        heading,
        configuration: JSON5.parse(code),
        files: [],
        requests: [],
        log: [],
      });
    } else if (examples.length > 0) addTo(examples.at(-1)!, language ?? '', code);
  }
  return examples;
}

function addTo({ requests, log, files }: Example, language: string, code: string): void {
  const request = requests.at(-1);
  if (language === 'http') requests.push(readRequest(code));
  else if (language === 'ts') files.push(fileOf(code));
  else if (language === 'log') log.push(...code.trim().split('\n'));
  else if (language === 'text') request?.texts.push(code.slice(0, -1));
  else if (language === 'json') request?.results.push(JSON.parse(code));
  else throw new Error(`nobody executes a block of ${language}`);
}

function fileOf(text: string): Example['files'][number] {
  const name = /^\/\/ (\S+)\n/u.exec(text)?.[1];
  if (name === undefined)
    throw new Error('a block of ts begins with a comment that names its file');
  return { name, text };
}

function readRequest(code: string): ExampleRequest {
  const [head = '', body = ''] = code.split('\n\n');
  const [first = '', ...headers] = head.split('\n');
  return {
    path: first.replace(/^POST (?:\/hooks)?/u, ''),
    headers: Object.fromEntries(headers.map((line) => line.split(': '))),
    body: JSON.parse(body),
    texts: [],
    results: [],
  };
}
