import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Twilio Programmable Messaging: incoming SMS, MMS and WhatsApp messages of a number. Status callbacks of messages that
 * were sent, and calls, are not taken. The sender's number can be forged. Twilio signs the address that it calls, so
 * `hooks.publicUrl` has to say it. It would send TwiML as a reply; it gets JSON, which its debugger notes as a warning
 * and which sends nothing. Two numbers are one conversation.
 */
export const twilio: Preset = {
  id: 'twilio',
  match: { path: 'twilio' },
  verify: { scheme: 'twilio' },
  setup: [
    'Set hooks.publicUrl to the address under which Twilio reaches you: it signs the whole of {url}.',
    'Twilio Console → Phone Numbers → Manage → Active numbers → your number → Messaging Configuration: A message comes in: Webhook, {url}, HTTP POST.',
    'Leave Primary handler fails empty.',
    'Copy the Auth Token (Account Info on the first page of the Console): it takes the place of a signing secret.',
  ],
  name: 'Twilio',
  task: report(
    'A text message came in on a telephone number of the person you serve (by Twilio).',
    'Tell them in at most three short sentences who writes, by number, and what they want; keep numbers, dates and codes exact.',
    'If it is advertising, one short sentence is enough. If something about it is suspicious (pressure, money, a link, an unknown sender in the name of a bank or authority), say so first: the number of a sender can be forged.',
  ),
  messageTemplate: [
    'Text message from {{ From }} to {{ To }}',
    'Name in the profile: {{ ProfileName }}',
    'Country of the number: {{ FromCountry }}',
    '{{ Body | max 4000 }}',
    'Attachment: {{ MediaContentType0 }} {{ MediaUrl0 }}',
    'Attachment: {{ MediaContentType1 }} {{ MediaUrl1 }}',
  ],
  sessionKey: 'hook:twilio:{{ To }}:{{ From }}',
  dedupeKey: '{{ MessageSid }}',
  when: { 'payload.SmsStatus': 'received' },
};
