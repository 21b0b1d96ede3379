//! Shows the progress of a run on the terminal, in a single line.

use tierup_runner::Observer as _;
use tierup_sampling::{Event, Observer};

use crate::console::Console;

pub(super) struct Shown<'a> {
    pub(super) console: &'a Console,
}

impl Observer for Shown<'_> {
    fn sees(&mut self, event: Event) {
        let text = match event {
            Event::Starting => "starting the server".to_owned(),
            Event::Attaching => "attaching to the server".to_owned(),
            Event::WarmingUp => "warming up".to_owned(),
            Event::Block { number, of, left } => {
                format!("profiling, block {number} of {of}, {} s left", left.as_secs_f64().ceil())
            }
            Event::Stopping => "stopping the server".to_owned(),
        };
        self.console.status(&text);
    }
}
