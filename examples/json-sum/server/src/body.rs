//! A request's body: how much of it is read, and for how long.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::time::timeout;

use crate::problem::Problem;

/// The largest body in bytes.
const LARGEST: usize = 1 << 20;

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the rest of a body is read that was refused.
const LINGER: Duration = Duration::from_secs(1);

/// Reads it whole, whatever its content type.
pub async fn read(request: Request) -> Result<Bytes, Problem> {
    let (head, mut body) = request.into_parts();
    if is_compressed(&head.headers) {
        return Err(refused(body, StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must not be compressed").await);
    }
    match timeout(PATIENCE, Limited::new(&mut body, LARGEST).collect()).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(refused(body, StatusCode::PAYLOAD_TOO_LARGE, "the body must be <= 1048576 bytes").await)
        }
        Ok(Err(_)) => Err(Problem::new(StatusCode::BAD_REQUEST, "the body cannot be read to its end")),
        Err(_) => Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive")),
    }
}

/// Whether there is a body that says so.
fn is_compressed(headers: &HeaderMap) -> bool {
    let has_body = headers.contains_key(header::CONTENT_LENGTH) || headers.contains_key(header::TRANSFER_ENCODING);
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    let is_identity = match (encodings.next(), encodings.next()) {
        (None, _) => true,
        (Some(one), None) => one.is_empty() || one.as_bytes().eq_ignore_ascii_case(b"identity"),
        (Some(_), Some(_)) => false,
    };
    has_body && !is_identity
}

/// Reads on for a while before a body is refused: a connection that is closed while bytes come in is reset, and then its
/// client may never see the answer (RFC 9112, section 9.6).
async fn refused(mut body: Body, status: StatusCode, message: &'static str) -> Problem {
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    // Whether that was all makes no difference.
    let _ = timeout(LINGER, rest).await;
    Problem::new(status, message)
}
