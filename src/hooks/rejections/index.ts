export * from './catalogue.ts';
export * from './rejection.ts';
