//! A packet socket on one interface: whole Ethernet frames in and out.

use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::{
    AddressFamily, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType, bind, recv, send, setsockopt,
    socket, sockopt,
};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Room for what the kernel may hand over while the switch is busy elsewhere.
const BUFFER_BYTES: usize = 4 << 20;

/// One interface of the switch.
pub(super) struct Port(OwnedFd);

impl Port {
    /// Opens the interface of this name, which must be up.
    pub(super) fn open(interface: &str) -> io::Result<Port> {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let fd = socket(AddressFamily::Packet, SockType::Raw, flags, SockProtocol::EthAll)?;
        // Until it is bound it hears every interface; what came in by then is thrown away below.
        bind(fd.as_raw_fd(), &address(interface)?)?;
        // As much of it as the kernel allows.
        setsockopt(&fd, sockopt::RcvBuf, &BUFFER_BYTES)?;
        let port = Port(fd);
        let mut rest = [0; 2048];
        while port.receive(&mut rest)?.is_some() {}
        Ok(port)
    }

    /// The next frame, if one is there: its length.
    pub(super) fn receive(&self, into: &mut [u8]) -> io::Result<Option<usize>> {
        match recv(self.0.as_raw_fd(), into, MsgFlags::MSG_TRUNC) {
            Ok(length) => Ok(Some(length)),
            Err(Errno::EAGAIN | Errno::EINTR | Errno::ENETDOWN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends a frame. Whether the interface took it: one that is full or down is a network that loses
    /// something.
    pub(super) fn send(&self, frame: &[u8]) -> io::Result<bool> {
        match send(self.0.as_raw_fd(), frame, MsgFlags::empty()) {
            Ok(_) => Ok(true),
            Err(Errno::EAGAIN | Errno::ENOBUFS | Errno::ENETDOWN | Errno::ENXIO) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The address of an interface for packet sockets. The list of interfaces has it ready; making one takes
/// unsafe code.
fn address(interface: &str) -> io::Result<LinkAddr> {
    let index = if_nametoindex(interface)? as usize;
    getifaddrs()?
        .filter_map(|entry| entry.address.as_ref().and_then(|address| address.as_link_addr().copied()))
        .find(|link| link.ifindex() == index)
        .ok_or_else(|| io::Error::other(format!("the interface {interface} has no packet address")))
}
