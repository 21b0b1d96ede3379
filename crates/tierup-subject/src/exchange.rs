//! One request and its answer, or the reason why there is no answer.

use tierup_parity::Silence;

use crate::{
    answer::Arriving,
    connection::{Age, Connection, Open},
    prepared::Prepared,
};

impl Connection {
    /// Sends a request, and has `read` read the answer. If `read` stops before the body's end, or this future is
    /// dropped, the connection must be [discarded](Connection::discard).
    ///
    /// A server may close a connection between two answers at any time, perhaps just as a request is on its way. If the
    /// end came before anything was written, the request is sent on a new connection: nobody has seen it. A request
    /// that was written may have been at work. It is resent, once, and counted, only if closing explains the end
    /// ([`Keeping::excuses`](crate::Keeping)). RFC 9112, section 9.3.1, forbids this for requests that are not
    /// idempotent; but connections are kept for load only, which sends every request thousands of times on purpose.
    ///
    /// # Errors
    /// Those of `read`, or the reason why there is nothing to read.
    pub async fn ask<T, E: From<Silence>>(
        &mut self,
        request: &Prepared,
        read: impl AsyncFn(Arriving) -> Result<T, E>,
    ) -> Result<T, E> {
        let (open, age) = self.open().await?;
        let rested = open.rested();
        match once(open, request, &read).await {
            Ok(answer) => {
                self.brought();
                return answer;
            }
            Err(error) => {
                let silence = before_the_body(&error);
                let excused = || silence == Silence::Closed && self.excuses(rested);
                if age == Age::New || !(error.is_canceled() || excused()) {
                    return Err(silence.into());
                }
            }
        }
        self.discard();
        let (open, _) = self.open().await?;
        let answer = once(open, request, &read).await.map_err(|error| before_the_body(&error))?;
        self.brought();
        answer
    }
}

/// The result of `read`, or the reason why nothing came back.
async fn once<T, E>(
    open: &mut Open,
    request: &Prepared,
    read: &impl AsyncFn(Arriving) -> Result<T, E>,
) -> Result<Result<T, E>, hyper::Error> {
    let Open { sender, driver, .. } = open;
    let answer = async { Ok(read(Arriving::new(sender.send_request(request.request()).await?)).await) };
    driver.drive(answer).await
}

fn before_the_body(error: &hyper::Error) -> Silence {
    if error.is_parse() { Silence::NotHttp } else { Silence::Closed }
}
