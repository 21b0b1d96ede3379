//! Which processors a thread may run on, in the words of `taskset` and cgroups: `0-1,4`.

use std::{fmt, str::FromStr};

/// A set of processors, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processors(pub Vec<usize>);

/// A text that is not a list of processors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a list of processors: write numbers and ranges, e.g. `0-1,4`")]
pub struct ParseProcessorsError(String);

/// More processors than any kernel's set holds.
const LIMIT: usize = 1024;

impl FromStr for Processors {
    type Err = ParseProcessorsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ParseProcessorsError(text.to_owned());
        let mut processors = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (usize, usize) =
                first.trim().parse().ok().zip(last.trim().parse().ok()).ok_or_else(wrong)?;
            if first > last || last >= LIMIT {
                return Err(wrong());
            }
            processors.extend(first..=last);
        }
        processors.sort_unstable();
        processors.dedup();
        Ok(Processors(processors))
    }
}

/// Processors that this process cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not all processors of `{asked}` can be used here: {}", granted_words(granted.as_ref()))]
pub struct UnavailableProcessors {
    pub asked: Processors,
    /// Those of them that the kernel grants; `None` if this system gives no choice.
    pub granted: Option<Processors>,
}

fn granted_words(granted: Option<&Processors>) -> String {
    match granted {
        None => "this system does not support choosing processors".to_owned(),
        Some(granted) if granted.0.is_empty() => "this process may use none of them".to_owned(),
        Some(granted) => format!("this process may use only `{granted}` of them"),
    }
}

impl Processors {
    /// Asks the kernel whether it keeps a thread on all of these: it silently leaves out processors that do not exist
    /// or are not in this process's cgroup. Call this before measuring on them.
    ///
    /// # Errors
    /// If it does not.
    pub fn available(&self) -> Result<(), UnavailableProcessors> {
        let asked = self.clone();
        // On a thread of its own: the calling thread keeps its processors.
        let tried = std::thread::Builder::new().spawn(move || {
            let may_choose = of_this_thread().is_some();
            match pin_this_thread(&asked.0) {
                true => of_this_thread(),
                // None of them exists.
                false => may_choose.then(|| Processors(Vec::new())),
            }
        });
        let granted = tried.ok().and_then(|tried| tried.join().ok()).flatten();
        match granted.as_ref() == Some(self) {
            true => Ok(()),
            false => Err(UnavailableProcessors { asked: self.clone(), granted }),
        }
    }
}

impl fmt::Display for Processors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for processor in &self.0 {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == *processor => *last = *processor,
                _ => runs.push((*processor, *processor)),
            }
        }
        let runs: Vec<_> = runs
            .into_iter()
            .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
            .collect();
        f.write_str(&runs.join(","))
    }
}

/// Keeps the calling thread, and what it starts from now on, on these processors. Returns whether the kernel agreed.
#[cfg(target_os = "linux")]
pub fn pin_this_thread(processors: &[usize]) -> bool {
    let mut set = rustix::thread::CpuSet::new();
    processors.iter().for_each(|processor| set.set(*processor));
    rustix::thread::sched_setaffinity(None, &set).is_ok()
}

/// Other systems cannot do this.
#[cfg(not(target_os = "linux"))]
pub fn pin_this_thread(_processors: &[usize]) -> bool {
    false
}

/// The processors that the calling thread may run on, if the kernel tells.
#[cfg(target_os = "linux")]
pub fn of_this_thread() -> Option<Processors> {
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    Some(Processors((0..LIMIT).filter(|processor| set.is_set(*processor)).collect()))
}

#[cfg(not(target_os = "linux"))]
pub fn of_this_thread() -> Option<Processors> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn processors_that_the_kernel_does_not_grant_are_an_error() {
        let mine = of_this_thread().unwrap();
        assert_eq!(mine.available(), Ok(()));
        assert_eq!(of_this_thread().as_ref(), Some(&mine), "asking moves nobody");
        let missing = LIMIT - 1;
        let error = Processors(vec![missing]).available().unwrap_err();
        assert_eq!(
            error.to_string(),
            "not all processors of `1023` can be used here: this process may use none of them"
        );
        // The kernel would accept this list, and leave out the missing processor.
        let some = Processors(vec![mine.0[0], missing]);
        let error = some.available().unwrap_err();
        assert_eq!(error.granted, Some(Processors(vec![mine.0[0]])));
        assert!(error.to_string().ends_with(&format!("this process may use only `{}` of them", mine.0[0])), "{error}");
    }

    #[test]
    fn lists_are_read_and_written_as_taskset_does() {
        for (text, written) in [("0", "0"), ("0-1", "0-1"), ("3,0,1,2", "0-3"), ("0, 2-3,3", "0,2-3")] {
            assert_eq!(text.parse::<Processors>().unwrap().to_string(), written);
        }
        for text in ["", "a", "3-1", "0-", "-1", "0,,1", "99999999"] {
            assert!(text.parse::<Processors>().is_err(), "{text}");
        }
    }
}
