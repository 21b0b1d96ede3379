//! Reports a ramp to Prometheus (`--metrics`) and to the command of `notify`.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use tierup_codegen::Command;
use tierup_project::Loaded;
use tierup_ramp::{Decided, Notifier, Ramp, Round, Told};
use tierup_runner::{Interrupts, Observer as _};
use tierup_shadow::page_server::{Page, PageServer};

use crate::{
    console::Console,
    failure::{Failure, Result},
    metrics,
};

pub(super) struct Telling {
    notifier: Option<Notifier>,
    /// The server, and the text that it serves, from the last round.
    metrics: Option<(PageServer, Arc<Mutex<String>>)>,
}

impl Telling {
    /// # Errors
    /// The address cannot be used, or the system has no threads left.
    pub(super) fn start(address: Option<SocketAddr>, loaded: Option<&Loaded>, console: &Console) -> Result<Telling> {
        let no_threads = |error| Failure::because("cannot start a thread", error);
        let metrics = metrics::bind(address)?.map(|listener| {
            let text = Arc::<Mutex<String>>::default();
            let served = Arc::clone(&text);
            let text_now = move || served.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let page = move |path: &str| {
                let text = (path == "/metrics").then(&text_now)?;
                // A monitoring system must not read an empty answer as a healthy one.
                let is_judging = if text.is_empty() { Err("no ramp yet") } else { Ok(text) };
                Some(is_judging.map_or_else(|why| Page::health(Err(why)), Page::metrics))
            };
            let server = PageServer::start(listener, page).map_err(no_threads)?;
            metrics::say_where(server.address(), "tell how the ramp stands", console);
            Ok::<_, Failure>((server, text))
        });
        let notifier = loaded.and_then(|loaded| {
            let (program, arguments) = loaded.rollout.notify.split_first()?;
            let command = Command::new(program, arguments.iter().map(String::as_str));
            Some(Notifier::start(command, loaded.folder.clone()).map_err(no_threads))
        });
        Ok(Telling { notifier: notifier.transpose()?, metrics: metrics.transpose()? })
    }

    pub(super) fn tell(&self, decided: &Decided) {
        self.notifier.iter().for_each(|notifier| notifier.tell(decided));
    }

    pub(super) fn sees(&self, ramp: &Ramp, round: &Round, console: &Console) {
        round.decided.iter().for_each(|decided| self.tell(decided));
        self.warn(console);
        self.show(|told| ramp.metrics(told));
    }

    /// Replaces the metrics. `text` gets the counts of `notify`.
    pub(super) fn show(&self, text: impl FnOnce(Option<Told>) -> String) {
        if let Some((_, served)) = &self.metrics {
            let now = text(self.notifier.as_ref().map(Notifier::told));
            *served.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }

    /// Warns about failures of the command since the last call.
    pub(super) fn warn(&self, console: &Console) {
        let trouble = self.notifier.as_ref().and_then(Notifier::trouble);
        trouble.iter().for_each(|trouble| console.note(&format!("warning: `notify`: {trouble}")));
    }

    /// The command gets a few seconds for pending decisions, until the operator interrupts again.
    pub(super) fn end(self, interrupts: &Interrupts) -> Option<String> {
        let before = interrupts.count();
        let told = self.notifier?.end(|| interrupts.count() > before);
        (told.failed + told.dropped > 0).then(|| {
            format!(
                "`notify` failed or was not run for {} decisions: decisions.jsonl has them all",
                told.failed + told.dropped
            )
        })
    }
}
