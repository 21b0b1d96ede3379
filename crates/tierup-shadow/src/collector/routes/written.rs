//! A route's name as it is written: a part of the path that few clients asked for may be a secret, and a keyed hash stands for
//! it.

use std::sync::Arc;

use crate::hidden::{Several, Show, hash, may_be_secret, starts};

/// What decides about parts of paths.
#[derive(Debug)]
pub(super) struct Written {
    show: Show,
    several: Several,
}

impl Written {
    pub(super) fn new(show: Show) -> Written {
        Written { show, several: Several::default() }
    }

    /// A client asked for a route of this name.
    pub(super) fn used(&mut self, name: &str, client: u64) {
        let path = name.split_once(' ').map_or("", |(_, path)| path);
        starts(path).for_each(|start| self.several.note(start, client));
    }

    /// As it is written by now.
    pub(super) fn name(&self, name: &Arc<str>) -> Arc<str> {
        let Some((method, path)) = name.split_once(' ').filter(|(_, path)| path.starts_with('/')) else {
            return Arc::clone(name);
        };
        let part = |start: &str| {
            let mut parts = start.rsplit('/');
            let (part, before) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let is_shown = matches!(part, "" | "*" | "**")
                || self.show.is_all()
                || self.show.names_part(part, may_be_secret(before, part))
                || self.several.sent(start);
            if is_shown { part.to_owned() } else { hash(part) }
        };
        format!("{method} /{}", starts(path).map(part).collect::<Vec<_>>().join("/")).into()
    }
}
