//! Hands a connection over from the companion to a worker, by the socket between the two.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

use rustix::cmsg_space;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

pub fn give(worker: &UnixStream, connection: &UnixStream) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = [connection.as_fd()];
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(worker, &[IoSlice::new(&[0])], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Waits for a connection; `None` if the companion has ended.
pub fn take(companion: &UnixStream) -> io::Result<Option<UnixStream>> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    recvmsg(companion, &mut [IoSliceMut::new(&mut [0])], &mut control, RecvFlags::empty())?;
    let mut messages = control.drain();
    let Some(RecvAncillaryMessage::ScmRights(mut descriptors)) = messages.next() else { return Ok(None) };
    let Some(connection) = descriptors.next() else { return Ok(None) };
    // Processes that the user's code starts must not keep the connection open.
    fcntl_setfd(&connection, FdFlags::CLOEXEC)?;
    Ok(Some(UnixStream::from(connection)))
}
