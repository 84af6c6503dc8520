/** A kind of recipient: how one is written, and what to ask for instead of something that is none. */
export interface RecipientKind {
  readonly pattern: RegExp;
  readonly expected: string;
}

/** Blanks, dots, dashes and brackets in a phone number are allowed; the platforms get digits. */
export const PHONE_NUMBER: RecipientKind = {
  pattern: /^\+?[ .()-]*[1-9](?:[ .()-]*\d){6,14}$/,
  expected: 'a phone number with its country code, such as +491701234567',
};

export const TELEGRAM_CHAT: RecipientKind = {
  pattern: /^(?:-?\d{1,19}|@[A-Za-z]\w{3,31})$/,
  expected: 'a chat id, such as 123456789 or -1001234567890, or the @name of a public channel',
};

export const DISCORD_CHANNEL: RecipientKind = {
  pattern: /^\d{15,20}$/,
  expected: 'a channel id of 15 to 20 digits (Copy Channel ID in the client)',
};

export const SLACK_CHANNEL: RecipientKind = {
  pattern: /^[CDGUW][A-Z0-9]{6,20}$/,
  expected: 'a channel id, such as C0123456789',
};

export const MATTERMOST_CHANNEL: RecipientKind = {
  pattern: /^[a-z0-9]{26}$/,
  expected: 'a channel id of 26 small letters and digits',
};

export const SIGNAL_RECIPIENT: RecipientKind = {
  pattern: /^(?:\+[ .()-]*[1-9](?:[ .()-]*\d){6,14}|group\.[\w+/=-]{8,})$/,
  expected: 'a phone number with + and country code, such as +491701234567, or group.<id>',
};

export const TEAMS_CONVERSATION: RecipientKind = {
  pattern: /^(?:\d{1,3}|a):\S+$/i,
  expected: 'a conversation id, such as 19:…@thread.tacv2',
};

/** The digits of a phone number. */
export function digitsOf(phoneNumber: string): string {
  return phoneNumber.replace(/\D/g, '');
}
