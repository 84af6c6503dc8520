import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { agentTurn } from '../../../test/support/agent-turn.ts';
import { fillHeaders } from './gateway.ts';

const TEMPLATES = { 'x-a': '<{agent}>', 'x-s': '{session}', 'x-c': '{contract}' };

/** Any text, lone surrogates and control characters included. */
const anyText = fc.string({ unit: anyCharacter });

describe('fillHeaders', () => {
  it('makes headers that can be sent, whatever the session and the contract are', () => {
    fc.assert(
      fc.property(anyText, anyText, (session, to) => {
        const mayDeliverTo = { channel: 'chan_1', to } as const;
        const contract = { ...agentTurn().contract, mayDeliverTo };
        const headers = fillHeaders(TEMPLATES, agentTurn({ contract }), session);
        for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/);
        expect(JSON.parse(headers['x-c'] ?? '')).toEqual(JSON.parse(JSON.stringify(contract)));
      }),
    );
  });

  it('fills in nothing that a value brings along', () => {
    const headers = fillHeaders({ a: '{session}-{agent}-{other}' }, agentTurn(), '{contract}$&');
    expect(headers).toEqual({ a: '{contract}$&-main-{other}' });
  });

  it('sends a session key of ordinary characters as it is', () => {
    const session = 'agent:main:hook:a.b@c/d+e%20-_';
    expect(fillHeaders(TEMPLATES, agentTurn(), session)['x-s']).toBe(session);
  });
});
