//! Names of headers as servers read them: some read `X_Real_IP` as `X-Real-IP` (CGI, RFC 3875, section 4.1.18).

use hyper::header::HeaderName;

/// Whether some server reads the name as `known`.
pub(super) fn reads_as(name: &HeaderName, known: &str) -> bool {
    name.as_str().len() == known.len() && begins_as(name, known)
}

/// Whether some server reads the start of the name as `known`.
pub(super) fn begins_as(name: &HeaderName, known: &str) -> bool {
    let (name, known) = (name.as_str().as_bytes(), known.as_bytes());
    let is_alike = |(name, known): (&u8, &u8)| name.eq_ignore_ascii_case(known) || (*name == b'_' && *known == b'-');
    name.len() >= known.len() && name.iter().zip(known).all(is_alike)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_underscore_reads_as_a_dash_and_nothing_else_does() {
        let name = HeaderName::from_static;
        assert!(reads_as(&name("x_real-ip"), "X-Real-IP") && reads_as(&name("forwarded"), "forwarded"));
        assert!(!reads_as(&name("x-real-ip"), "x_real_ip") && !reads_as(&name("x-real-ips"), "x-real-ip"));
        assert!(
            begins_as(&name("x_forwarded_for"), "x-forwarded-") && begins_as(&name("x-forwarded-"), "x-forwarded-")
        );
        assert!(!begins_as(&name("x-forwarded"), "x-forwarded-") && !begins_as(&name("ax-forwarded-"), "x-forwarded-"));
    }
}
