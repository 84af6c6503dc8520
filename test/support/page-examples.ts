import JSON5 from 'json5';

/** One request of an example and what the page says comes of it. */
export interface ExampleRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** `text` blocks: what an agent reads, one per action. */
  readonly texts: string[];
  /** `json` blocks with a `status`: the answer. Others: the action. */
  readonly results: Readonly<Record<string, unknown>>[];
}

/** A configuration (`json5` block) with the requests and log lines that follow it. */
export interface Example {
  readonly heading: string;
  readonly configuration: Readonly<Record<string, Record<string, unknown>>>;
  readonly requests: ExampleRequest[];
  /** `log` blocks: what the start is refused with, or warned of. */
  readonly log: string[];
}

const BLOCK = /^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gmu;

/** The executable examples of a page: a `json5` block begins one, `http` a request of it. */
export function examplesOf(page: string): Example[] {
  const examples: Example[] = [];
  let heading = '';
  for (const [, title, language, code = ''] of page.matchAll(BLOCK)) {
    if (title !== undefined) heading = title;
    else if (language === 'json5') {
      examples.push({ heading, configuration: JSON5.parse(code), requests: [], log: [] });
    } else if (examples.length > 0) addTo(examples.at(-1)!, language ?? '', code);
  }
  return examples;
}

function addTo({ requests, log }: Example, language: string, code: string): void {
  const request = requests.at(-1);
  if (language === 'http') requests.push(requestOf(code));
  else if (language === 'log') log.push(...code.trim().split('\n'));
  else if (language === 'text') request?.texts.push(code.slice(0, -1));
  else if (language === 'json') request?.results.push(JSON.parse(code));
  else throw new Error(`nobody executes a block of ${language}`);
}

function requestOf(code: string): ExampleRequest {
  const [head = '', body = ''] = code.split('\n\n');
  const [first = '', ...headers] = head.split('\n');
  return {
    path: first.replace('POST /hooks', ''),
    headers: Object.fromEntries(headers.map((line) => line.split(': '))),
    body: JSON.parse(body),
    texts: [],
    results: [],
  };
}
