//! `ringleader grade`.

use crate::args::number::at_least_one;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct GradeArgs {
    /// The directory with what was handed in: one file each, with one link or several in it, or one crate each.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// A directory with goals of your own, NAME.goal.toml; they are added to the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub(crate) goals: Option<PathBuf>,
    /// Everybody must have reached this goal (repeatable) [default: what was handed in].
    #[arg(long, value_name = "NAME")]
    pub(crate) goal: Vec<String>,
    /// What crates are held against: a directory with exercise.toml, which is built and run with each of them.
    #[arg(long, value_name = "DIR")]
    pub(crate) exercise: Option<PathBuf>,
    /// No program of a crate runs longer than this, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = at_least_one)]
    pub(crate) limit: u32,
    /// Write the result into this file.
    #[arg(short, long, value_name = "FILE", default_value = "grade.json")]
    pub(crate) output: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
}
