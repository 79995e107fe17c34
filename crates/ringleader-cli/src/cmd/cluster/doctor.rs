//! `ringleader doctor`: what is wrong, and what to type.

use super::is_service;
use crate::App;
use crate::args::DoctorArgs;
use crate::console::{Console, DIM, GREEN, RED, RESET, YELLOW};
use crate::error::{Diagnostic, Failure};
use ringleader_net::Advice;
use ringleader_net::config::{Config, Environment};
use ringleader_net::doctor::{Finding, Level, Question, Subject, examine};
use serde_json::json;
use std::io::{self, Write};

pub(crate) fn run(app: &App, args: &DoctorArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let name = args.name.as_deref();
    let environment = Environment::of_process();
    if is_service(&args.config) {
        let config = ringleader_server::config::Config::read(&args.config, name, &environment)?;
        return look(ringleader_server::doctor::subject(&config), args, console);
    }
    let config = Config::read(&args.config, app.registry, name, &environment)?;
    look(Subject::from(&config), args, console)
}

fn look(subject: Subject<'_>, args: &DoctorArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let file = args.config.display().to_string();
    let name = args.name.as_deref();
    if let Some(peer) = &args.peer
        && subject.member(peer).is_none()
    {
        let names: Vec<&str> = subject.members.iter().map(|member| member.name).collect();
        let message = format!("no member of {file} is called `{peer}`");
        return Err(Diagnostic::input("ringleader::unknown_member", message)
            .help(format!("its members are {}", names.join(", ")))
            .into());
    }
    let cluster = subject.cluster.to_owned();
    let findings = examine(&Question { subject, file: &file, name, peer: args.peer.as_deref() });
    let wrong = findings.iter().filter(|finding| finding.level == Level::Wrong).count();
    if console.json {
        let findings: Vec<_> = findings.iter().map(object).collect();
        let report = json!({
            "schema": "ringleader.doctor/1",
            "cluster": cluster,
            "member": name,
            "well": wrong == 0,
            "findings": findings,
        });
        writeln!(console.out, "{report}")?;
    } else {
        for finding in &findings {
            line(finding, console)?;
        }
        if !console.quiet {
            let warnings = findings.iter().filter(|finding| finding.level == Level::Warning).count();
            writeln!(console.err, "{} findings: {wrong} wrong, {warnings} warnings", findings.len())?;
        }
    }
    Ok(if wrong == 0 { 0 } else { 4 })
}

fn line(finding: &Finding, console: &mut Console<'_>) -> io::Result<()> {
    let (colour, mark) = match finding.level {
        Level::Well => (GREEN, "✓"),
        Level::Warning => (YELLOW, "⚠"),
        Level::Wrong => (RED, "✗"),
    };
    writeln!(console.out, "{colour}{mark}{RESET} {DIM}{:<11}{RESET} {}", finding.about, finding.words)?;
    for line in &finding.help {
        match line {
            Advice::Text(text) => writeln!(console.out, "              {text}")?,
            Advice::Command(command, _) => writeln!(console.out, "                {command}")?,
        }
    }
    Ok(())
}

fn object(finding: &Finding) -> serde_json::Value {
    let help = finding.help.iter().map(|line| match line {
        Advice::Text(text) | Advice::Command(text, _) => text.as_str(),
    });
    json!({
        "level": finding.level.name(),
        "about": finding.about,
        "words": finding.words,
        "help": help.collect::<Vec<_>>(),
    })
}
