// Made by tierup; the same in every package. What `import` finds.
import tierup_package from './index.cjs';

export * from './index.js';
export default tierup_package;
