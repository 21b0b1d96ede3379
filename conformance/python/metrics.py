"""Registers the package's metrics() with prometheus_client."""

from prometheus_client import REGISTRY
from prometheus_client.core import CounterMetricFamily, InfoMetricFamily

HELP = {
    "calls": "Calls of the functions",
    "errors": "Calls in which the function itself failed",
    "panics": "Calls that ended in a panic",
    "timeouts": "Calls that were not answered in time",
    "lost": "Calls that were lost for another reason",
}


class TierupCollector:
    """`binding`: what `bind()` returned, or the package itself."""

    def __init__(self, binding):
        self.binding = binding

    def collect(self):
        metrics = self.binding.metrics()
        for kind, help in HELP.items():
            yield CounterMetricFamily(f"tierup_{kind}", help, value=getattr(metrics, kind))
        said = {name: getattr(metrics, name) for name in ("package", "tier", "asked", "instead", "abi")}
        yield InfoMetricFamily("tierup", "What runs, and why", value=said)


def register(binding, registry=REGISTRY):
    registry.register(TierupCollector(binding))
