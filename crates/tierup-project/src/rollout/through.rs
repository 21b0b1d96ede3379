//! `through` of `[rollout]`, with the table of the load balancer that it names.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use tierup_diagnostic::Diagnostic;
use tierup_rollout::{EnvoySettings, HaProxySettings, NginxSettings, Sticky, Through};

use super::reader::Reader;
use crate::document::{Table, finished};

/// The default address at which nginx reports the weights in force.
const NGINX_STATUS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8099);
/// The default address at which Envoy gets the weights.
const ENVOY_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 18_090);
/// The usual address of Envoy's admin interface.
const ENVOY_ADMIN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9901);

const BALANCERS: [&str; 3] = ["haproxy", "nginx", "envoy"];

impl Reader<'_> {
    /// The proxy or load balancer that puts the weights into force.
    pub(super) fn through(&self, sticky: Option<Sticky>) -> Option<Through> {
        let name = self.table.text("through");
        let haproxy = self.table.table("haproxy").and_then(|table| {
            finished(&table, |table| {
                let (socket, backend) = (table.required_text("socket"), table.required_text("backend"));
                let map = path(table, "map", "/etc/haproxy/tierup.map");
                let (socket, backend) = (socket?.value.into(), backend?.value);
                Some(Through::HaProxy(HaProxySettings { socket, backend, map, sticky: sticky.clone()? }))
            })
        });
        let nginx = self.table.table("nginx").and_then(|table| {
            finished(&table, |table| {
                let split = table.required_text("split");
                let log = path(table, "log", "/var/log/nginx/tierup.log");
                let status = self.loopback(table, "status", NGINX_STATUS);
                let test = self.command(table, "test", &["nginx", "-t"]);
                let reload = self.command(table, "reload", &["nginx", "-s", "reload"]);
                let (split, sticky) = (split?.value.into(), sticky.clone()?);
                Some(Through::Nginx(NginxSettings { split, log, status: status?, sticky, test, reload }))
            })
        });
        let envoy = self.table.table("envoy").and_then(|table| {
            finished(&table, |table| {
                let log = table.required_text("log");
                let listen = self.loopback(table, "listen", ENVOY_LISTEN);
                let admin = self.loopback(table, "admin", ENVOY_ADMIN);
                let (log, sticky) = (log?.value.into(), sticky.clone()?);
                Some(Through::Envoy(EnvoySettings { listen: listen?, admin: admin?, log, sticky }))
            })
        });
        let name = name.as_ref().map_or("tierup", |text| &text.value);
        for table in BALANCERS {
            let example = format!("through = \"{table}\"");
            if self.table.has(table) && name != table {
                let message = format!("`[rollout.{table}]` only applies to `{example}`");
                self.problem::<()>(table, &message, &format!("add `{example}` to `[rollout]`"));
            } else if !self.table.has(table) && name == table {
                let message = format!("`through = \"{table}\"` needs `[rollout.{table}]`");
                self.problem::<()>("through", &message, "docs/load-balancers.md explains its keys");
            }
        }
        if BALANCERS.contains(&name) && !self.table.has("sticky") {
            let message = format!("`through = \"{name}\"` needs `sticky`");
            self.problem::<()>("through", &message, "a request that is no client's stays with the control");
        }
        match name {
            "tierup" => Some(Through::Tierup),
            "haproxy" => haproxy,
            "nginx" => nginx,
            "envoy" => envoy,
            _ => {
                let message = "`through` must be one of \"tierup\", \"haproxy\", \"nginx\", \"envoy\"";
                self.problem("through", message, "docs/rollout.md explains each value")
            }
        }
    }

    /// A loopback address, which only this machine reaches.
    fn loopback(&self, table: &Table<'_>, key: &'static str, or: SocketAddr) -> Option<SocketAddr> {
        let Some(text) = table.text(key) else { return Some(or) };
        let address = text.value.parse::<SocketAddr>().ok().filter(|address| address.ip().is_loopback());
        if address.is_none() {
            let problem =
                Diagnostic::new(format!("`{key}` must be a loopback address and a port, got `{}`", text.value));
            self.document.add(problem.at(table.place(key)).hint(format!("e.g. \"{or}\"")));
        }
        address
    }

    /// A program and its arguments.
    pub(super) fn command(&self, table: &Table<'_>, key: &'static str, or: &[&str]) -> Vec<String> {
        let Some(words) = table.texts(key) else { return or.iter().map(|word| (*word).to_owned()).collect() };
        if words.first().is_none_or(|program| program.value.is_empty()) {
            let problem = Diagnostic::new(format!("`{key}` names no program")).at(table.place(key));
            let example = if or.is_empty() { &["sh", "notify.sh"] } else { or };
            self.document.add(problem.hint(format!("e.g. {example:?}")));
        }
        words.into_iter().map(|word| word.value).collect()
    }
}

fn path(table: &Table<'_>, key: &'static str, or: &str) -> PathBuf {
    table.text(key).map_or_else(|| or.to_owned(), |text| text.value).into()
}
