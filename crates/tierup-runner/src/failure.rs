//! This crate's errors as failures of a command: what a program printed, cut to what matters, and the next step.

use tierup_diagnostic::{Exit, Failure};

use crate::Error;

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let full = error.is_disk_full();
        let message = error.to_string();
        let exit = if matches!(error, Error::HeldByParent { .. }) { Exit::Usage } else { Exit::Failed };
        let (output, hint) = match error {
            Error::NoWasmTool { program, cause } => {
                let output = match *cause {
                    Error::Failed { output, .. } => relevant(&output),
                    _ => vec![],
                };
                let hint = format!(
                    "tierup builds {} once, for {}, with Rust 1.95 or newer and crates from the network; run `rustup update`, check the network, or build other variants: --tiers {}",
                    program.title, program.serves, program.others
                );
                (output, Some(hint))
            }
            Error::Interrupted => return Failure::Interrupted,
            Error::HeldByParent { .. } => {
                let hint = "tierup builds before it starts a server: remove `tierup` from `start`, `prepare` and the scripts that they run";
                (vec![], Some(hint.to_owned()))
            }
            Error::Missing { program } => return Failure::Missing { message, program, hint: None },
            Error::Failed { output, .. } => (relevant(&output), None),
            Error::EndedEarly { output, .. } | Error::Unanswered { output, .. } | Error::NeverEnded { output, .. } => {
                (last(&output, 20), None)
            }
            Error::PortInUse { port } => {
                (vec![], Some(format!("choose another port with --port, or stop the program that listens on {port}")))
            }
            _ => (vec![], None),
        };
        let full = full.then(|| "free some disk space, then run the same command again".to_owned());
        Failure::Plain { message, output, hint: full.or(hint), exit }
    }
}

/// The relevant part of a build's output: from its first error on.
fn relevant(output: &[String]) -> Vec<String> {
    const MOST: usize = 60;
    let first = output.iter().position(|line| line.starts_with("error"));
    let Some(first) = first else { return last(output, 20) };
    let errors = &output[first..];
    let mut shown = errors[..errors.len().min(MOST)].to_vec();
    if errors.len() > MOST {
        shown.push(format!("… and {} more lines", errors.len() - MOST));
    }
    shown
}

fn last(output: &[String], count: usize) -> Vec<String> {
    output[output.len().saturating_sub(count)..].to_vec()
}
