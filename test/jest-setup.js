// Nest must be evaluated before the CommonJS throttler asks for it (docs/decisions/0001).
import 'reflect-metadata';
import '@nestjs/common';
import '@nestjs/core';

// Threads begin from the sources: without it each of them would load a compiler to strip their types.
process.env.NODE_COMPILE_CACHE ??= new URL('../node_modules/.cache/node', import.meta.url).pathname;
