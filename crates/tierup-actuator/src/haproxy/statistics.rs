//! The servers of a backend, from `show stat`: comma-separated values whose columns are found by their names, as each
//! version of HAProxy adds some.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) weight: u64,
    /// `UP`, `DOWN 1/2`, `MAINT`, `no check`, …
    pub(super) status: String,
}

impl Server {
    /// `UP 1/3` goes down and `DOWN 1/2` comes up: both are still what they say.
    pub(super) fn is_down(&self) -> bool {
        self.status.starts_with("DOWN")
    }
}

/// # Errors
/// What is wrong with the answer.
pub(super) fn servers(answer: &str) -> Result<Vec<Server>, String> {
    let mut lines = answer.lines().filter(|line| !line.trim().is_empty());
    let header = lines.next().and_then(|line| line.strip_prefix("# ")).ok_or("`show stat` has no heading")?;
    let place = |column: &str| {
        let found = header.split(',').position(|name| name == column);
        found.ok_or_else(|| format!("`show stat` has no column `{column}`"))
    };
    let (name, weight, status) = (place("svname")?, place("weight")?, place("status")?);
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let field = |place: usize| fields.get(place).copied().ok_or_else(|| format!("`show stat` cut `{line}`"));
            let weight = field(weight)?.parse().map_err(|_| format!("`show stat` has no weight in `{line}`"))?;
            Ok(Server { name: field(name)?.to_owned(), weight, status: field(status)?.to_owned() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let answer = "# pxname,svname,status,new,weight,\nweb,control,UP,,1,\nweb,candidate,DOWN 1/2,7,0,\n\n";
        let found = servers(answer).expect("servers");
        let shape = |server: &Server| (server.name.clone(), server.weight, server.is_down());
        assert_eq!(
            found.iter().map(shape).collect::<Vec<_>>(),
            [("control".to_owned(), 1, false), ("candidate".to_owned(), 0, true)]
        );
        for wrong in ["", "Unknown command.\n", "# pxname,svname,weight,\n", "# svname,status,weight,\na,UP\n"] {
            assert!(servers(wrong).is_err(), "{wrong}");
        }
    }
}
