// A function whose types are declared, in a package of its own.
export * from './line.js'; export * from './price.js';
