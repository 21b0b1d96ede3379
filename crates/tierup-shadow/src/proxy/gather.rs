//! A connection that writes short messages from one buffer. In: hyper's parts, a head and a body. Out: one `send` if
//! they are short, else `writev`. Copying 2 KiB costs less processor time than a list of buffers does in the kernel.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use hyper::rt::{Read, ReadBufCursor, Write};

/// Up to this many bytes are copied.
const SHORT: usize = 2 << 10;

pub(crate) struct Gathering<C>(pub(crate) C);

/// The parts in one piece, if they are short.
fn gather<'a>(parts: &[io::IoSlice<'_>], into: &'a mut [u8; SHORT]) -> Option<&'a [u8]> {
    let mut length = 0;
    for part in parts {
        into.get_mut(length..length + part.len())?.copy_from_slice(part);
        length += part.len();
    }
    Some(&into[..length])
}

impl<C: Read + Unpin> Read for Gathering<C> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl<C: Write + Unpin> Write for Gathering<C> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match gather(parts, &mut [0; SHORT]) {
            Some(bytes) => Pin::new(&mut self.0).poll_write(context, bytes),
            None => Pin::new(&mut self.0).poll_write_vectored(context, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::io::IoSlice;

    use super::*;

    #[test]
    fn short_parts_are_joined_and_long_ones_are_not() {
        let mut into = [0; SHORT];
        let (head, body, rest) = (vec![1; 100], vec![2; SHORT - 100], [3]);
        let parts = [IoSlice::new(&head), IoSlice::new(&body)];
        assert_eq!(gather(&parts, &mut into), Some(&*[head.clone(), body.clone()].concat()));
        assert_eq!(gather(&[parts[0], parts[1], IoSlice::new(&rest)], &mut into), None);
        assert_eq!(gather(&[], &mut into), Some(&[][..]));
    }
}
