// A function of known types in a package of its own.
export * from './line.js'; export * from './price.js';
