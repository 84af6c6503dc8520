import { isAcknowledgement } from './acknowledgement.ts';

const x = (count: number): string => 'x'.repeat(count);

describe('isAcknowledgement (spec field deliver, behaviour §5 Heartbeat acknowledgement)', () => {
  it.each([
    ['HEARTBEAT_OK', true],
    [' \nHEARTBEAT_OK\n', true],
    ['HEARTBEAT_OK all quiet', true],
    ['all quiet. HEARTBEAT_OK', true],
    [`HEARTBEAT_OK ${x(300)}`, true],
    [`${x(300)} HEARTBEAT_OK`, true],
    [`HEARTBEAT_OK ${x(301)}`, false],
    [`${x(301)} HEARTBEAT_OK`, false],
    ['I say HEARTBEAT_OK because', false],
    ['heartbeat_ok', false],
    ['HEARTBEAT_OKAY', false],
    ['NO_HEARTBEAT_OK', false],
    ['', false],
    ['the disk is full', false],
  ])('%j: %s', (reply, isOne) => {
    expect(isAcknowledgement(reply, 300)).toBe(isOne);
  });

  it('counts by agents.defaults.heartbeat.ackMaxChars', () => {
    expect(isAcknowledgement('HEARTBEAT_OK ab', 1)).toBe(false);
    expect(isAcknowledgement('HEARTBEAT_OK a', 1)).toBe(true);
  });
});
