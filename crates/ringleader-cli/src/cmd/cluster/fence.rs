//! `ringleader fence`: numbers at the storage.

use crate::args::{CheckFenceArgs, FenceArgs, FenceCommand, ProxyArgs};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use ringleader_client::fence::{Gate, Verdict, check_and_store};
use ringleader_client::proxy;
use ringleader_locks::Fence;
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &FenceArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    match &args.what {
        FenceCommand::Check(args) => check(args, console),
        FenceCommand::Proxy(args) => serve(args, console),
    }
}

fn check(args: &CheckFenceArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let verdict = match args.last.parse::<Fence>() {
        Ok(last) if args.fence < last => Verdict::Stale { last },
        Ok(_) => Verdict::Fresh,
        Err(_) => check_and_store(Path::new(&args.last), args.fence).map_err(|error| {
            let message = format!("the last fence cannot be kept in {}: {error}", args.last);
            Diagnostic::new("ringleader::fence_file", 4, message)
                .help("do not write: somebody with a larger fence may have written already")
        })?,
    };
    let (fence, last) = (
        args.fence,
        match verdict {
            Verdict::Fresh => None,
            Verdict::Stale { last } => Some(last),
        },
    );
    if console.json {
        let object = json!({ "schema": "ringleader.fence/1", "fence": fence.to_string(),
            "stale": last.is_some(), "last": last.map(|last| last.to_string()) });
        writeln!(console.out, "{object}")?;
    } else if let (Some(last), false) = (last, console.quiet) {
        writeln!(console.err, "stale: {fence} is smaller than {last}, which was seen already")?;
    }
    Ok(u8::from(last.is_some()))
}

fn serve(args: &ProxyArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let upstream = args.upstream.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
    let Some(upstream) = upstream.filter(|rest| ringleader_net::config::host_and_port(rest).is_ok()) else {
        let message = format!("`{}` is no storage to stand before", args.upstream);
        return Err(Diagnostic::input("ringleader::bad_upstream", message)
            .help("it is an address in plain HTTP, on this machine or in a network that is trusted:")
            .command("ringleader fence proxy --upstream http://127.0.0.1:9000", "")
            .into());
    };
    let gate = Gate::open(&args.fences).map_err(|error| {
        let message = format!("fences cannot be kept in {}: {error}", args.fences.display());
        Diagnostic::new("ringleader::fence_file", 4, message)
    })?;
    let (quiet, err) = (console.quiet, &mut *console.err);
    proxy::serve(&args.listen, upstream, gate, proxy::PATIENCE, |address| {
        if !quiet {
            let _ = writeln!(err, "fences are checked at http://{address}/, before http://{upstream}/");
            let _ = err.flush();
        }
    })
    .map_err(|error| {
        let message = format!("cannot listen at {}: {error}", args.listen);
        Diagnostic::new("ringleader::port", 4, message).help("choose another --listen HOST:PORT")
    })?;
    Ok(0)
}
