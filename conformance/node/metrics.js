'use strict';
// Registers the package's metrics() with prom-client.

const { Counter, Gauge, register } = require('prom-client');

const HELP = {
  calls: 'Calls of the functions',
  errors: 'Calls in which the function itself failed',
  panics: 'Calls that ended in a panic',
  timeouts: 'Calls that were not answered in time',
  lost: 'Calls that were lost for another reason',
};

/** `binding`: what `with()` returned, or the package itself. */
function registerMetrics(binding, registers = [register]) {
  for (const [kind, help] of Object.entries(HELP)) {
    const collect = function () {
      this.reset();
      this.inc(binding.metrics()[kind]);
    };
    new Counter({ name: `tierup_${kind}_total`, help, registers, collect });
  }
  const labelNames = ['package', 'tier', 'asked', 'instead', 'abi'];
  const collect = function () {
    const metrics = binding.metrics();
    this.set(Object.fromEntries(labelNames.map((name) => [name, metrics[name]])), 1);
  };
  new Gauge({ name: 'tierup_info', help: 'What runs, and why', labelNames, registers, collect });
}

module.exports = { registerMetrics };
