//! Who comes in: certificates, tokens, strangers, and bytes that mean nothing.

use crate::{lease, refused, with};
use etcd_client::{Certificate, ConnectOptions, TlsOptions};
use etcd_clients::{Servers, TOKEN, until};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_token_opens_what_it_may() {
    let servers = Servers::new(1).await;
    let mut ci = servers.connect(&[0], servers.with_token()).await.expect("the token is good");
    let own = lease(&ci).await;
    let held = ci.lock("ci/a", with(own)).await.expect("it may");
    ci.unlock(held.key()).await.expect("it held");
    for (code, words) in [
        refused(ci.lock("other", with(own)).await),
        refused(ci.campaign("other", "ci", own).await),
        refused(ci.leader("other").await),
        refused(ci.observe("other").await),
    ] {
        assert!(code == 7 && words.contains("token:ci may not"), "{code} {words}");
    }
    let status = servers.get(0, "/v1/status").expect("an answer");
    assert_eq!(status["held"], 0);
    let wrong = ConnectOptions::new().with_tls(servers.authority()).with_user("ci", "wrong");
    let (code, words) = refused(servers.connect(&[0], wrong).await.map(|_| ()));
    assert!(code == 3 && words.contains("authentication failed"), "{code} {words}");
    let other = ConnectOptions::new().with_tls(servers.authority()).with_user("operator", TOKEN);
    assert_eq!(refused(servers.connect(&[0], other).await.map(|_| ())).0, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_refused() {
    let servers = Servers::new(1).await;
    let nobody = ConnectOptions::new().with_tls(servers.authority());
    let mut nobody = servers.connect(&[0], nobody).await.expect("nothing is asked yet");
    let (code, words) = refused(nobody.lease_grant(5, None).await);
    assert!(code == 16 && words.contains("nothing says who you are"), "{code} {words}");
    // Another authority has signed it, and another cluster's.
    let foreign = Servers::new(1).await;
    let mut with_foreign = servers.connect(&[0], foreign.options()).await.expect("nothing is asked yet");
    assert!(with_foreign.lease_grant(5, None).await.is_err());
    let plain = ConnectOptions::new().with_connect_timeout(Duration::from_secs(20));
    let url = format!("http://{}", servers.address(0));
    let mut plain = etcd_client::Client::connect([url], Some(plain)).await.expect("nothing is asked yet");
    assert!(plain.lease_grant(5, None).await.is_err());
    let unknown = TlsOptions::new().ca_certificate(Certificate::from_pem("no certificate"));
    let unknown = ConnectOptions::new().with_tls(unknown);
    if let Ok(mut unknown) = servers.connect(&[0], unknown).await {
        assert!(unknown.lease_grant(5, None).await.is_err());
    }
    // Whoever claims to ask for somebody else is believed only as a server of the cluster.
    assert_eq!(servers.get(0, "/v1/status").expect("an answer")["sessions"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_mean_nothing_do_no_harm() {
    let servers = Servers::new(1).await;
    let mut client = servers.client(0).await;
    let own = lease(&client).await;
    let held = client.lock("a", with(own)).await.expect("it is free");
    let rubbish: [&[u8]; 4] =
        [b"GET / HTTP/1.1\r\n\r\n", &[0; 4096], &[0xff; 4096], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"];
    for bytes in rubbish {
        let mut stream = TcpStream::connect(servers.address(0)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        // It may have closed already.
        let _ = stream.write_all(bytes);
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
    }
    client.unlock(held.key()).await.expect("it held");
    until("it is free", || servers.get(0, "/v1/locks/a").filter(|lock| lock["state"] == "free")).await;
}
