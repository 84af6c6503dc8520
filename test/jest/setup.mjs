import { join } from 'node:path';
// Decorators of classes that are tested without Nest write with it.
import 'reflect-metadata';

// Threads begin from the sources: without it each of them would load a compiler to strip their types.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/node');
