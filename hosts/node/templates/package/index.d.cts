// Made by tierup; the same in every package. What `require` finds.
export * from './index.js';

/** The tier that runs without baselines. An ES module has it at the default import only, because reading it loads the tier. */
export const tier: string;
