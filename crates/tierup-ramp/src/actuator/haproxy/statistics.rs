//! A backend and its servers, from `show stat`: comma-separated values. Columns are found by name, as each version of
//! HAProxy adds some.

/// The row of the backend itself.
const BACKEND: &str = "BACKEND";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statistics {
    pub(super) servers: Vec<Server>,
    /// The requests that the backend has completed since HAProxy started: begun ones less running ones.
    pub(super) ended: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) weight: u64,
    /// Whether it gets requests only while all others are down.
    pub(super) is_backup: bool,
    /// Such as `UP`, `DOWN 1/2`, `MAINT`, `DRAIN` or `no check`.
    status: String,
}

impl Server {
    /// Whether the server is down: `UP 1/3` is still up, and `DOWN 1/2` still down. A server whose name no longer
    /// resolves is down, too.
    pub(super) fn is_down(&self) -> bool {
        self.status.starts_with("DOWN") || self.status.starts_with("MAINT (resolution)")
    }

    /// Whether an operator took it out of service.
    pub(super) fn is_in_maintenance(&self) -> bool {
        self.status.starts_with("MAINT") && !self.is_down()
    }

    /// Whether it gets only requests that a rule gives it.
    pub(super) fn is_drained(&self) -> bool {
        self.weight == 0 || self.status.starts_with("DRAIN")
    }
}

/// # Errors
/// What is wrong with the answer.
pub(super) fn parse(answer: &str) -> Result<Statistics, String> {
    let mut lines = answer.lines().filter(|line| !line.trim().is_empty());
    let header = lines.next().and_then(|line| line.strip_prefix("# ")).ok_or("`show stat` has no heading")?;
    let place = |column: &str| {
        let found = header.split(',').position(|name| name == column);
        found.ok_or_else(|| format!("`show stat` has no column `{column}`"))
    };
    let (name, weight, status) = (place("svname")?, place("weight")?, place("status")?);
    let (began, lasts, backup) = (place("stot")?, place("scur")?, place("bck")?);
    let (mut servers, mut ended) = (Vec::new(), None);
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let field = |place: usize| fields.get(place).copied().ok_or_else(|| format!("`show stat` cut `{line}`"));
        let number = |place: usize| -> Result<u64, String> {
            field(place)?.parse().map_err(|_| format!("`show stat` lacks a number in `{line}`"))
        };
        match field(name)? {
            BACKEND => ended = Some(number(began)?.saturating_sub(number(lasts)?)),
            name => servers.push(Server {
                name: name.to_owned(),
                weight: number(weight)?,
                is_backup: number(backup)? > 0,
                status: field(status)?.to_owned(),
            }),
        }
    }
    let ended = ended.ok_or("`show stat` has no backend of this name")?;
    Ok(Statistics { servers, ended })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let answer = "# pxname,svname,scur,status,new,stot,weight,bck,\nweb,control,1,no check,,9,1,0,\n\
                      web,candidate,0,DOWN 1/2,7,0,0,0,\nweb,twin,0,MAINT,,0,0,0,\nweb,spare,0,DRAIN,,0,3,1,\n\
                      web,gone,0,MAINT (resolution),,0,0,0,\nweb,BACKEND,2,UP,,12,1,1,\n\n";
        let Statistics { servers, ended } = parse(answer).expect("servers");
        let shape = |server: &Server| {
            (server.name.clone(), server.weight, server.is_down(), server.is_in_maintenance(), server.is_drained())
        };
        assert_eq!(
            servers.iter().map(shape).collect::<Vec<_>>(),
            [
                ("control".to_owned(), 1, false, false, false),
                ("candidate".to_owned(), 0, true, false, true),
                ("twin".to_owned(), 0, false, true, true),
                ("spare".to_owned(), 3, false, false, true),
                ("gone".to_owned(), 0, true, false, true),
            ]
        );
        assert_eq!(ended, 10);
        assert_eq!(
            servers.iter().map(|server| server.is_backup).collect::<Vec<_>>(),
            [false, false, false, true, false]
        );
        let heading = "# pxname,svname,scur,status,stot,weight,bck,\n";
        for wrong in ["", "Unknown command.\n", "# pxname,svname,weight,\n", heading, &format!("{heading}web,a,UP\n")] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
