//! `[downstream]` of tierup.toml, as what stands in for the service that the user's server calls.

use tierup_project::DownstreamSettings;
use tierup_subject::Service;

/// The service that a server of the project calls.
pub fn service(settings: &DownstreamSettings) -> Service {
    Service {
        variable: settings.env.clone(),
        status: settings.status,
        content_type: settings.content_type.clone(),
        body: settings.body.clone(),
    }
}
