//! `kogge uci`.

use std::io::{self, BufReader};

use kogge::{
    BACKENDS, BackendName, Driver, Fen, MAX_DEPTH, Move, Observer, Opened, Request, open,
    search::Signals,
    search::uci::{Host, serve},
};

use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};

/// Plays chess through UCI.
pub(super) struct Uci;

impl Job for Uci {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let counter = Counter { request: context.request, opened: None };
        serve(BufReader::new(io::stdin()), io::stdout(), Box::new(counter))?;
        Ok(Answer::Done)
    }
}

/// The device that counts for `go perft`, opened on first use. Opening a device may take seconds.
struct Counter {
    request: Request,
    opened: Option<Opened>,
}

/// The value of the option `Device` that allows any device.
const ANY_DEVICE: &str = "-1";

impl Host for Counter {
    fn options(&self) -> Vec<String> {
        let names: Vec<_> = BACKENDS.iter().map(|entry| entry.name.name()).collect();
        let device = self.request.device.map_or(ANY_DEVICE.to_owned(), |device| device.to_string());
        vec![
            format!(
                "name Backend type combo default {} var auto var {}",
                self.request.backend.name(),
                names.join(" var ")
            ),
            format!("name Device type spin default {device} min {ANY_DEVICE} max 99"),
        ]
    }

    fn set_option(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        let set = match name.to_ascii_lowercase().as_str() {
            "backend" => {
                let names = BACKENDS.iter().map(|entry| entry.name).chain([BackendName::Auto]);
                let found = names.into_iter().find(|known| known.name() == value);
                found.map(|found| self.request.backend = found).ok_or_else(|| format!("There is no backend {value:?}."))
            }
            "device" if value == ANY_DEVICE => {
                self.request.device = None;
                Ok(())
            }
            "device" => match value.parse() {
                Ok(device) => {
                    self.request.device = Some(device);
                    Ok(())
                }
                Err(_) => Err(format!("The option Device takes a device's number, or -1 for any, not {value:?}.")),
            },
            _ => return None,
        };
        self.opened = None;
        Some(set)
    }

    fn divide(&mut self, root: &Fen, depth: u32, signals: &Signals) -> Result<Vec<(Move, u128)>, String> {
        if self.opened.is_none() {
            self.opened = Some(open(&self.request, None).map_err(|failure| failure.to_string())?);
        }
        let opened = self.opened.as_mut().ok_or("There is no backend.")?;
        if depth > MAX_DEPTH {
            return Err(format!("Leaves are counted down to depth {MAX_DEPTH}, not {depth}."));
        }
        let stop = Stop(signals);
        Driver::new(&mut *opened.backend, &stop).divide(root, depth).map_err(|error| error.to_string())
    }
}

/// Lets the command `stop` end a count.
struct Stop<'a>(&'a Signals);

impl Observer for Stop<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_stopped()
    }
}
