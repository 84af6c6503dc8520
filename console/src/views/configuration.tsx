import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { Loaded, Page } from '../ui/page.tsx';
import type { Column } from '../ui/table.tsx';
import { SortedTable } from '../ui/table.tsx';

interface Value {
  /** As in the file: `hooks.mappings[0].to`. */
  readonly key: string;
  readonly value: string;
}

const COLUMNS: readonly Column<Value>[] = [
  { title: 'Key', value: ({ key }) => key, cell: ({ key }) => <code>{key}</code> },
  {
    title: 'Value',
    kind: 'wide',
    value: ({ value }) => value,
    cell: ({ value }) => <code>{value}</code>,
  },
];

/** What is in force, and what is wrong with the files. */
export default function Configuration() {
  const report = useResource(() => answer(api.GET('/ops/api/configuration')), [], 30_000);
  return (
    <Page title="Configuration">
      <Loaded from={report}>
        {(loaded) => (
          <>
            <Findings report={loaded} />
            <Values report={loaded} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Findings({ report }: { report: Api<'ConfigurationReport'> }) {
  const { dir, isDemo, problems, warnings, restartFor } = report;
  return (
    <>
      <p class="faint">
        {isDemo
          ? `There is no gateway.json5 in ${dir}: the service runs as a demo.`
          : `The files of ${dir}.`}
      </p>
      {problems.length > 0 && (
        <p class="callout bad">
          The files have problems, so what was in force before stays in force.
        </p>
      )}
      {problems.map(({ key, message }) => (
        <p key={key + message} class="callout bad">
          <code>{key}</code> {message}
        </p>
      ))}
      {restartFor.length > 0 && (
        <p class="callout busy">Only a restart applies the change of {restartFor.join(', ')}.</p>
      )}
      {warnings.map(({ key, message }) => (
        <p key={key + message} class="callout busy">
          <code>{key}</code> {message}
        </p>
      ))}
    </>
  );
}

function Values({ report: { configuration, variables } }: { report: Api<'ConfigurationReport'> }) {
  const [text, setText] = useState('');
  const shown = Object.entries(configuration)
    .flatMap(([key, value]) => leavesOf(key, value))
    .filter(({ key, value }) => `${key} ${value}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <div class="fields">
        <div>
          <label for="configuration-text">Key or value</label>
          <input
            id="configuration-text"
            type="search"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </div>
      </div>
      <SortedTable caption="Values" rows={shown} columns={COLUMNS} keyOf={({ key }) => key} />
      {Object.keys(variables).length > 0 && (
        <section class="card">
          <h2>Variables that the files name</h2>
          <dl class="facts">
            {Object.entries(variables).map(([name, origin]) => (
              <Fragment key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{origin}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

/** Every value by its key. */
function leavesOf(key: string, value: unknown): Value[] {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (typeof value !== 'object' || value === null || isEmpty) {
    return [{ key, value: JSON.stringify(value) ?? '' }];
  }
  const parts = Array.isArray(value)
    ? value.map((part: unknown, index) => [`${key}[${index}]`, part] as const)
    : Object.entries(value).map(
        ([name, part]: [string, unknown]) => [`${key}.${name}`, part] as const,
      );
  return parts.flatMap(([name, part]) => leavesOf(name, part));
}
