import { needPackages } from '../support/debian-packages.mjs';

needPackages(
  'The suite of faults',
  ['/usr/bin/gcc', '/usr/include/stdio.h', '/usr/lib/*/faketime/libfaketimeMT.so.1'],
  ['gcc', 'libc6-dev', 'libfaketime'],
);
