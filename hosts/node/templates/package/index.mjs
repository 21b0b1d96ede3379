// Made by tierup from the signatures in your crate; changes here are lost at the next build.
import tierup_package from './index.js';

export default tierup_package;
export const { CallError, CallTimeoutError, PanicError, TransportError, ready, checkHealth, close } = tierup_package;

const tierup_with = tierup_package.with;
export { tierup_with as with };
{% for function in functions %}
const tierup_async_{{ loop.index0 }} = tierup_package.{{ function.property }};
const tierup_sync_{{ loop.index0 }} = tierup_package.{{ function.sync }};
export { tierup_async_{{ loop.index0 }} as {{ function.property }}, tierup_sync_{{ loop.index0 }} as {{ function.sync }} };
{%- endfor %}
