//! The messages and services of etcd that are served, made from the files in `proto`.
#![expect(
    unused_qualifications,
    unreachable_pub,
    clippy::allow_attributes_without_reason,
    reason = "the code is generated"
)]

pub(crate) mod mvccpb {
    tonic::include_proto!("mvccpb");
}
pub(crate) mod etcdserverpb {
    tonic::include_proto!("etcdserverpb");
}
pub(crate) mod v3lockpb {
    tonic::include_proto!("v3lockpb");
}
pub(crate) mod v3electionpb {
    tonic::include_proto!("v3electionpb");
}
