//! The algorithms as real processes over a real network: connections, certificates, files and clocks around the pure
//! [`ringleader::live::Member`], which decides everything.
