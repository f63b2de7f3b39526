//! `kogge completions` and `kogge man`, both generated from the definitions of the flags.

use std::path::PathBuf;

use clap_complete::Shell;

use crate::args::Cli;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};

/// Prints the completion script of a shell.
pub(super) struct Completions(pub(super) Shell);

impl Job for Completions {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.0, &mut Cli::definition(), "kogge", &mut script);
        context.output.raw(&script)?;
        Ok(Answer::Done)
    }
}

/// Prints the man page, or writes the pages of all commands into a folder.
pub(super) struct Man(pub(super) Option<PathBuf>);

impl Job for Man {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        match &self.0 {
            Some(dir) => clap_mangen::generate_to(Cli::definition(), dir)
                .map_err(|error| Failure::Input(format!("{} could not be written to: {error}.", dir.display())))?,
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(Cli::definition()).render(&mut page)?;
                context.output.raw(&page)?;
            }
        }
        Ok(Answer::Done)
    }
}
