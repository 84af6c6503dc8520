import { needPackages } from '../support/debian-packages.mjs';

needPackages(
  'The mail suite',
  ['/usr/sbin/dovecot', '/usr/lib/dovecot/lmtp', '/usr/lib/dovecot/imap', '/usr/bin/openssl'],
  ['dovecot-imapd', 'dovecot-lmtpd', 'openssl'],
);
