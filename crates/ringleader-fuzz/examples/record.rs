//! Records the seeds anew: `cargo run -p ringleader-fuzz --example record -- target/debug/ringleader`. A lock
//! service and a cluster run in plain text on this machine, with a tap on every connection; the rest is what
//! the program writes, and what etcd answers where it is installed. Of what looks alike one is kept.

use ringleader::sim::Scenario;
use ringleader_locks::{Command as Change, View};
use ringleader_server::store::{EtcdOptions, EtcdStore, ViewStore};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The bytes of each direction of each connection.
type Tape = Arc<Mutex<Vec<Arc<Mutex<Vec<u8>>>>>>;

/// The most bytes of a seed, and the most seeds of a decoder.
const MOST: (usize, usize) = (2000, 24);

fn main() -> Result<()> {
    let program = std::env::args().nth(1).ok_or("say where the program is: target/debug/ringleader")?;
    let program = std::fs::canonicalize(program)?;
    let mut seeds = Seeds::default();
    let (views, changes) = service(&program, &mut seeds)?;
    cluster(&program, &mut seeds)?;
    messages(&mut seeds);
    traces(&program, &mut seeds)?;
    etcd(&mut seeds, views.first().ok_or("no view was recorded")?, &changes)?;
    seeds.add("cluster_file", include_bytes!("../../../deploy/cluster.toml"));
    seeds.add("service_file", include_bytes!("../../../deploy/service.toml"));
    let shortest = "schema = \"ringleader.service/1\"\ncluster = \"x\"\n[plain]\nallowed = true\n[[server]]\n\
                    name = \"a\"\naddress = \"127.0.0.1:1\"\napi = \"127.0.0.1:2\"\n";
    seeds.add("service_file", shortest.as_bytes());
    for path in ["/a", "/%61/b%20c", "//x/./y/../z/", "/A;v=1", "/%C3%A4+b", "/x%2Fy", "/..;/a"] {
        seeds.add("proxy_path", path.as_bytes());
    }
    seeds.write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds"))
}

#[derive(Default)]
struct Seeds(BTreeMap<&'static str, BTreeSet<Vec<u8>>>);

impl Seeds {
    /// Keeps it, unless something that begins and is as long as it is there.
    fn add(&mut self, target: &'static str, bytes: &[u8]) {
        let list = self.0.entry(target).or_default();
        let alike = |seed: &Vec<u8>| {
            seed.len().ilog2() == bytes.len().max(1).ilog2()
                && seed.iter().zip(bytes).take(24).all(|(a, b)| a == b)
        };
        let file = target.ends_with("_file");
        if !bytes.is_empty()
            && (file || bytes.len() <= MOST.0)
            && list.len() < MOST.1
            && !list.iter().any(alike)
        {
            list.insert(bytes.to_vec());
        }
    }

    /// What was found by fuzzing stays.
    fn write(&self, folder: &Path) -> Result<()> {
        for (target, seeds) in &self.0 {
            let folder = folder.join(target);
            std::fs::create_dir_all(&folder)?;
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("real-")) {
                    std::fs::remove_file(path)?;
                }
            }
            for (number, seed) in seeds.iter().enumerate() {
                std::fs::write(folder.join(format!("real-{number:02}")), seed)?;
            }
        }
        Ok(())
    }
}

fn free_port() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}

fn note(tape: &Tape, mut from: impl Read + Send + 'static, mut to: impl Write + Send + 'static) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    tape.lock().expect("nobody panics").push(Arc::clone(&kept));
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            kept.lock().expect("nobody panics").extend_from_slice(&bytes[..count]);
            if to.write_all(&bytes[..count]).is_err() {
                return;
            }
        }
    });
}

/// Listens, and passes everything on to this address.
fn tap(tape: &Tape, to: String) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let (address, tape) = (listener.local_addr()?.to_string(), Arc::clone(tape));
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let Ok(far) = TcpStream::connect(&to) else { continue };
            if let (Ok(near_too), Ok(far_too)) = (near.try_clone(), far.try_clone()) {
                note(&tape, near, far_too);
                note(&tape, far, near_too);
            }
        }
    });
    Ok(address)
}

fn tap_socket(tape: &Tape, at: &Path, to: PathBuf) -> Result<()> {
    let (listener, tape) = (UnixListener::bind(at)?, Arc::clone(tape));
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let Ok(far) = UnixStream::connect(&to) else { continue };
            if let (Ok(near_too), Ok(far_too)) = (near.try_clone(), far.try_clone()) {
                note(&tape, near, far_too);
                note(&tape, far, near_too);
            }
        }
    });
    Ok(())
}

fn recorded(tape: &Tape) -> Vec<Vec<u8>> {
    let tape = tape.lock().expect("nobody panics");
    tape.iter().map(|kept| kept.lock().expect("nobody panics").clone()).collect()
}

fn node(program: &Path, folder: &Path, file: &str, name: &str) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(["node", "--plain", "--config", file, "--name", name, "--while-stdin"]).current_dir(folder);
    Ok(command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

/// Three servers, some locks, a server that ends: what servers say to each other, and clients to them.
fn service(program: &Path, seeds: &mut Seeds) -> Result<(Vec<View>, Vec<Change>)> {
    let folder = tempfile::tempdir()?;
    let (between, clients) = (Tape::default(), Tape::default());
    let mut file =
        "schema = \"ringleader.service/1\"\ncluster = \"seeds\"\ndata = \"data-{name}\"\n[plain]\n\
                    allowed = true\n"
            .to_owned();
    for name in ["a", "b", "c"] {
        let listen = free_port()?;
        let (address, api) = (tap(&between, listen.clone())?, free_port()?);
        file += &format!(
            "[[server]]\nname = \"{name}\"\naddress = \"{address}\"\nlisten = \"{listen}\"\napi = \"{api}\"\n\
             socket = \"{name}.sock\"\n"
        );
    }
    std::fs::write(folder.path().join("service.toml"), file)?;
    let mut servers = Vec::new();
    for name in ["a", "b", "c"] {
        servers.push(node(program, folder.path(), "service.toml", name)?);
    }
    let tapped = folder.path().join("tap.sock");
    tap_socket(&clients, &tapped, folder.path().join("a.sock"))?;
    let url = format!("unix:{}", tapped.display());
    let run = |args: &[&str], command: &[&str]| -> Result<Child> {
        let mut all = args.to_vec();
        all.extend(["--server", &url]);
        all.extend(command);
        let mut command = Command::new(program);
        Ok(command.args(all).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
    };
    // Until they serve.
    let mut serve = false;
    for _ in 0..100 {
        serve |= run(&["lock", "first", "--wait", "1s"], &["--", "true"])?.wait()?.success();
        if serve {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    if !serve {
        return Err("the servers do not serve".into());
    }
    let long = ["--", "sh", "-c", "sleep 2"];
    let mut holders = vec![
        run(&["lock", "batch/x", "--value", "v"], &long)?,
        run(&["lock", "batch/x", "--wait", "1s"], &long)?,
        run(&["elect", "leader", "--priority", "3"], &long)?,
        run(&["elect", "leader", "--wait", "1s"], &long)?,
    ];
    let mut observer = run(&["observe", "leader"], &[])?;
    let from_b = format!("unix:{}", folder.path().join("b.sock").display());
    let mut other = Command::new(program);
    other.args(["lock", "batch/x", "--server", &from_b, "--", "true"]).stderr(Stdio::null());
    holders.push(other.spawn()?);
    std::thread::sleep(Duration::from_millis(500));
    run(&["locks"], &[])?.wait()?;
    run(&["lock", "batch/x", "--try"], &["--", "true"])?.wait()?;
    // One ends, and the others change the view.
    servers[2].kill()?;
    for mut holder in holders {
        holder.wait()?;
    }
    std::thread::sleep(Duration::from_secs(1));
    observer.kill()?;
    observer.wait()?;
    for mut server in servers {
        server.kill()?;
        server.wait()?;
    }
    let (mut views, mut changes) = (Vec::new(), Vec::new());
    for bytes in recorded(&between) {
        seeds.add("mesh_stream", &bytes[..bytes.len().min(1500)]);
        let (messages, calls) = ringleader_server::mesh::fuzz::stream(&bytes, bytes.len());
        for message in messages {
            let mut written = Vec::new();
            message.encode(&mut written);
            seeds.add("lock_message", &written);
        }
        for (request, call) in calls {
            let (some, more) = ringleader_server::store::fuzz::carried(&call);
            views.extend(some);
            changes.extend(more.into_iter().filter(|_| request));
            seeds.add(if request { "raft_request" } else { "raft_reply" }, &call);
        }
    }
    for bytes in recorded(&clients) {
        for line in
            bytes.split(|byte| *byte == b'\n').map(|line| line.strip_prefix(b"data: ").unwrap_or(line))
        {
            let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else { continue };
            let asks = value.get("op").is_some();
            seeds.add(if asks { "client_question" } else { "server_reply" }, line);
        }
    }
    for change in &changes {
        let mut bytes = Vec::new();
        change.encode(&mut bytes);
        seeds.add("lock_command", &bytes);
    }
    // What the servers made of them, in the order in which they came.
    let mut view = views.first().cloned();
    for change in &changes {
        let Some(now) = &mut view else { break };
        let mut bytes = Vec::new();
        now.encode(&mut bytes);
        seeds.add("lock_view", &bytes);
        if let Ok(next) = now.after(change) {
            *now = next;
        }
    }
    Ok((views, changes))
}

/// Three members of an election and of mutual exclusion: what members say to each other.
fn cluster(program: &Path, seeds: &mut Seeds) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let tape = Tape::default();
    let mut file =
        "schema = \"ringleader.cluster/1\"\ncluster = \"seeds\"\n[plain]\nallowed = true\n".to_owned();
    for name in ["a", "b", "c"] {
        let listen = free_port()?;
        let address = tap(&tape, listen.clone())?;
        file += &format!("[[member]]\nname = \"{name}\"\naddress = \"{address}\"\nlisten = \"{listen}\"\n");
    }
    file += "[[group]]\nname = \"main\"\nalgorithm = \"franklin\"\n[[group]]\nname = \"door\"\nalgorithm = \
             \"ricart-agrawala\"\nentries = 5\n";
    std::fs::write(folder.path().join("cluster.toml"), file)?;
    let mut members = Vec::new();
    for name in ["a", "b", "c"] {
        members.push(node(program, folder.path(), "cluster.toml", name)?);
    }
    std::thread::sleep(Duration::from_secs(5));
    for mut member in members {
        member.kill()?;
        member.wait()?;
    }
    for bytes in recorded(&tape) {
        seeds.add("live_stream", &bytes[..bytes.len().min(1500)]);
        for frame in ringleader_net::fuzz::stream(&bytes) {
            seeds.add("live_frame", &frame.encode());
        }
    }
    Ok(())
}

/// The first messages of every algorithm.
fn messages(seeds: &mut Seeds) {
    for entry in ringleader_errata::all() {
        let Ok(cast) = entry.cast(&Scenario::new(4)) else { continue };
        let mut sent = Vec::new();
        for index in 0..4 {
            let mut actor = cast.actor(index, 1);
            sent.extend(actor.start().sends);
            sent.extend(actor.want().map(|effects| effects.sends).unwrap_or_default());
        }
        if let Some(message) = sent.first() {
            let mut bytes = format!("{}\n", entry.spec.name).into_bytes();
            bytes.extend_from_slice(&message.bytes);
            seeds.add("wire_message", &bytes);
        }
    }
}

/// Recorded runs.
fn traces(program: &Path, seeds: &mut Seeds) -> Result<()> {
    let folder = tempfile::tempdir()?;
    for algorithm in ["chang-roberts", "raymond"] {
        let file = folder.path().join(algorithm);
        let mut command = Command::new(program);
        command.args(["run", algorithm, "-n", "3", "--seed", "1", "--trace"]).arg(&file);
        command.stdout(Stdio::null()).status()?;
        seeds.add("trace_file", &std::fs::read(&file)?);
    }
    Ok(())
}

/// What etcd answers, if it is installed.
fn etcd(seeds: &mut Seeds, first: &View, changes: &[Change]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (client, peer) = (format!("http://{}", free_port()?), format!("http://{}", free_port()?));
    let started = Command::new("etcd")
        .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
        .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
        .args(["--initial-cluster", &format!("default={peer}"), "--data-dir"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut server) = started else { return Ok(()) };
    std::thread::sleep(Duration::from_secs(3));
    let tape = Tape::default();
    let endpoint = format!("http://{}", tap(&tape, client.replace("http://", ""))?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = EtcdStore::open(EtcdOptions::new(vec![endpoint], "seeds".into(), first.clone())).await?;
        for change in changes {
            let _ = store.propose(change.clone()).await;
        }
        let _ = store.read().await;
        store.close().await;
        Ok::<_, ringleader_server::store::StoreError>(())
    })?;
    server.kill()?;
    server.wait()?;
    for bytes in recorded(&tape) {
        for answer in bytes.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{\"header\"")) {
            seeds.add("etcd_answer", answer);
        }
    }
    Ok(())
}
