//! All that was measured. In: the reports in `docs/data/atlas/`. Out: [`Grid`], a [`Cell`] for each function and host.

use std::{collections::BTreeMap, fs, io, path::Path};

use super::{
    about::{self, Function, Size},
    cell::{Cell, Gain},
    report::Report,
};

/// Reports, below the repository's root.
const DATA: &str = "docs/data/atlas";

/// Functions and hosts with what was measured of them.
pub(super) struct Grid {
    pub(super) functions: Vec<Function>,
    pub(super) hosts: Vec<String>,
    /// For each function, a cell for each host; `None` where the function has no library to compare with.
    pub(super) cells: Vec<Vec<Option<Cell>>>,
}

/// Where the report of a measurement is kept, below the repository's root.
pub(super) fn kept(function: &str, host: &str, size: Size) -> String {
    format!("{DATA}/{function}/{host}.{size}.json")
}

impl Grid {
    /// # Errors
    /// A file cannot be read, or must not be quoted.
    pub(super) fn read(repository: &Path, functions: Vec<Function>) -> Result<Grid, String> {
        let hosts: Vec<String> = about::hosts(&functions).into_iter().map(str::to_owned).collect();
        let cell = |function: &Function, host: &str| {
            let libraries = function.about.libraries(host);
            if libraries.is_empty() {
                return Ok(None);
            }
            let mut sizes = BTreeMap::new();
            for size in Size::ALL {
                let file = kept(&function.name, host, size);
                if let Some(gain) = gain(&repository.join(&file)).map_err(|error| format!("{file}: {error}"))? {
                    sizes.insert(size, gain);
                }
            }
            Ok(Some(Cell { sizes }))
        };
        let row = |function| hosts.iter().map(|host| cell(function, host)).collect::<Result<Vec<_>, String>>();
        let cells = functions.iter().map(row).collect::<Result<Vec<_>, String>>()?;
        Ok(Grid { functions, hosts, cells })
    }
}

/// `None` if there is no report.
fn gain(file: &Path) -> Result<Option<Gain>, String> {
    match fs::read_to_string(file) {
        Ok(text) => Gain::new(Report::read(&text)?).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
