//! `kogge completions` and `kogge man`, both made from the flags as they are defined.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::Context;
use crate::Answer;
use crate::args::Cli;
use crate::failure::Failure;

pub(super) fn completions(shell: Shell, context: &mut Context) -> Result<Answer, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "kogge", &mut script);
    context.output.raw(&script)?;
    Ok(Answer::Done)
}

pub(super) fn man(dir: Option<&Path>, context: &mut Context) -> Result<Answer, Failure> {
    match dir {
        Some(dir) => clap_mangen::generate_to(Cli::command(), dir)
            .map_err(|error| Failure::Input(format!("{} could not be written to: {error}.", dir.display())))?,
        None => {
            let mut page = Vec::new();
            Man::new(Cli::command()).render(&mut page)?;
            context.output.raw(&page)?;
        }
    }
    Ok(Answer::Done)
}
