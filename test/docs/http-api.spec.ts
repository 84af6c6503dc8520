import { readFile } from 'node:fs/promises';
import { AgentPayload } from '../../src/hooks/http/dto/agent-payload.ts';
import { WakePayload } from '../../src/hooks/http/dto/wake-payload.ts';
import { fieldsOf } from '../../src/hooks/http/payload-rules.ts';
import { EventStore } from '../../src/hooks/index.ts';
import { Hooks } from '../support/hooks.ts';

function fieldsIn(section: string): string[] {
  return Array.from(section.matchAll(/^\| `(\w+)`/gm), (match) => match[1] ?? '');
}

describe('docs/http-api.md', () => {
  it('lists exactly the fields of wake and agent', async () => {
    const text = await readFile(new URL('../../docs/http-api.md', import.meta.url), 'utf8');
    const [, wake = '', agent = ''] = text.split(/^## .*$/m);
    expect(fieldsIn(wake)).toEqual(fieldsOf(WakePayload));
    expect(fieldsIn(agent)).toEqual(fieldsOf(AgentPayload));
  });

  it('lists exactly the fields of a run and of a session', async () => {
    const text = await readFile(new URL('../../docs/http-api.md', import.meta.url), 'utf8');
    const [, run = '', session = ''] = text.split(/^### .*$/m);
    const hooks = await Hooks.start();
    const { runs } = await hooks.ended((await hooks.ask('/agent', { message: 'x' }))['eventId']);
    const { sessions } = await hooks.app.get(EventStore).sessions({ limit: 1 });
    await hooks.close();
    expect(fieldsIn(run)).toEqual(Object.keys(runs[0] ?? {}));
    expect(fieldsIn(session)).toEqual(Object.keys(sessions[0] ?? {}));
  });
});
