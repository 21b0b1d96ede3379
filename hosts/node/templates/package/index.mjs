// Made by tierup from the signatures in your crate; changes here are lost at the next build.
import tierup_package from './index.js';

export default tierup_package;
export const { CallError, CallTimeoutError, PanicError, TransportError, ready, checkHealth, close, metrics } = tierup_package;

const tierup_with = tierup_package.with;
export { tierup_with as with };
{% for (property, sync) in properties %}
const tierup_async_{{ loop.index0 }} = tierup_package.{{ property }};
const tierup_sync_{{ loop.index0 }} = tierup_package.{{ sync }};
export { tierup_async_{{ loop.index0 }} as {{ property }}, tierup_sync_{{ loop.index0 }} as {{ sync }} };
{%- endfor %}
