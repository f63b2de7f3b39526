//! The report of a check as JUnit's XML, which CI servers show: a test case for each rule, and for each fault without a rule.

use std::io::{self, Write};

use kogge_check::{CheckReport, Fault, RuleTally};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::report::describe;
use crate::output;

/// A test case: its name, and its faults.
struct Case<'r> {
    name: String,
    faults: Vec<&'r Fault>,
}

/// Writes control characters, and characters that no XML may have, as escapes.
fn printable(text: &str) -> String {
    output::printable(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}

pub(super) fn write(to: &mut dyn Write, report: &CheckReport) -> io::Result<()> {
    let CheckReport { name, faults, rules, elapsed, .. } = report;
    let mut cases: Vec<Case<'_>> = rules
        .iter()
        .map(|RuleTally { rule, .. }| Case {
            name: rule.title().to_owned(),
            faults: faults.iter().filter(|fault| fault.rule == Some(*rule)).collect(),
        })
        .collect();
    let has_case = |fault: &&Fault| fault.rule.is_some_and(|rule| rules.iter().any(|tally| tally.rule == rule));
    cases.extend(
        faults
            .iter()
            .filter(|fault| !has_case(fault))
            .map(|fault| Case { name: fault.to_string(), faults: vec![fault] }),
    );
    let tests = cases.len().to_string();
    let failures = cases.iter().filter(|case| !case.faults.is_empty()).count().to_string();
    let time = format!("{:.3}", elapsed.as_secs_f64());
    let name = printable(name);
    let counts = [("name", &*name), ("tests", &*tests), ("failures", &*failures), ("time", &*time)];
    let mut writer = Writer::new_with_indent(to, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.create_element("testsuites").with_attributes(counts).write_inner_content(|writer| {
        writer
            .create_element("testsuite")
            .with_attributes(counts)
            .write_inner_content(|writer| cases.iter().try_for_each(|case| write_case(writer, case)))?;
        Ok(())
    })?;
    writeln!(writer.get_mut())
}

fn write_case<W: Write>(writer: &mut Writer<W>, case: &Case<'_>) -> io::Result<()> {
    let element =
        writer.create_element("testcase").with_attributes([("classname", "kogge.check"), ("name", &*case.name)]);
    if case.faults.is_empty() {
        element.write_empty()?;
        return Ok(());
    }
    element.write_inner_content(|writer| {
        for (index, fault) in case.faults.iter().enumerate() {
            let mut text = Vec::new();
            describe(&mut text, index + 1, fault)?;
            let text = String::from_utf8_lossy(&text);
            let title = printable(&fault.to_string());
            writer
                .create_element("failure")
                .with_attribute(("message", &*title))
                .write_text_content(BytesText::new(&printable(&text)))?;
        }
        Ok(())
    })?;
    Ok(())
}
