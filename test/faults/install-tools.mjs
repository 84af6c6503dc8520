import { needPackages } from '../support/debian-packages.mjs';

needPackages(
  'The suite of faults',
  [
    '/usr/bin/gcc',
    '/usr/include/stdio.h',
    '/usr/bin/pkg-config',
    '/usr/bin/unshare',
    '/usr/include/fuse3',
    '/usr/lib/*/faketime/libfaketimeMT.so.1',
  ],
  ['gcc', 'libc6-dev', 'libfaketime', 'libfuse3-dev', 'pkg-config', 'util-linux'],
);
