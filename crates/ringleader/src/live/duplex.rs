//! Half-duplex links between real machines: the right to send travels with the messages.
