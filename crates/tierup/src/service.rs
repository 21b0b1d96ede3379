//! `[downstream]` of tierup.toml, as what stands in for the service that the user's server calls.

use tierup_subject::Service;

use crate::project::DownstreamSettings;

impl From<&DownstreamSettings> for Service {
    fn from(settings: &DownstreamSettings) -> Service {
        Service {
            variable: settings.env.clone(),
            status: settings.status,
            content_type: settings.content_type.clone(),
            body: settings.body.clone(),
        }
    }
}
