//! Log lines as records of the crate `log`.

use log::{Level, Record};

/// What the records carry as their target.
const TARGET: &str = "kaldi_tables";

/// Hands whole lines to the logger of the crate `log`: a sink for [`Log::to`](crate::log::Log::to).
///
/// `ERROR`, `WARNING` and `LOG` become the levels error, warn and info; `VLOG[1]` becomes debug, higher levels become trace
/// (see [`Log::at_level`](crate::log::Log::at_level)). A record has the message, the file and the line; its target is
/// `kaldi_tables`. A line without a head of its own continues the message before it.
pub fn forward(lines: &[u8]) {
    let text = String::from_utf8_lossy(lines);
    let mut last: Option<(Head<'_>, String)> = None;
    for line in text.lines() {
        match (Head::parse(line), &mut last) {
            (Some((head, message)), _) => {
                if let Some((head, message)) = last.replace((head, message.to_owned())) {
                    head.log(&message);
                }
            }
            (None, Some((_, message))) => {
                message.push('\n');
                message.push_str(line);
            }
            (None, none) => *none = Some((Head { level: Level::Info, file: None, line: None }, line.to_owned())),
        }
    }
    if let Some((head, message)) = last {
        head.log(&message);
    }
}

/// What stands before a message.
struct Head<'a> {
    level: Level,
    file: Option<&'a str>,
    line: Option<u32>,
}

impl<'a> Head<'a> {
    /// Takes a line apart: `WARNING (program[0.1.0]:function():file.rs:41) message`.
    fn parse(line: &'a str) -> Option<(Self, &'a str)> {
        let (severity, rest) = line.split_once(" (")?;
        let level = match severity {
            "ERROR" => Level::Error,
            "WARNING" => Level::Warn,
            "LOG" => Level::Info,
            "VLOG[1]" => Level::Debug,
            other if other.starts_with("VLOG[") => Level::Trace,
            _ => return None,
        };
        let (_, rest) = rest.split_once("():")?;
        let (place, message) = rest.split_once(") ")?;
        let (file, number) = place.rsplit_once(':')?;
        Some((Self { level, file: Some(file), line: number.parse().ok() }, message))
    }

    fn log(&self, message: &str) {
        let mut record = Record::builder();
        record.level(self.level).target(TARGET).file(self.file).line(self.line);
        log::logger().log(&record.args(format_args!("{message}")).build());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Keeps records as text.
    struct Kept(Mutex<Vec<String>>);

    static KEPT: Kept = Kept(Mutex::new(Vec::new()));

    impl log::Log for Kept {
        fn enabled(&self, _: &log::Metadata<'_>) -> bool {
            true
        }

        fn log(&self, record: &Record<'_>) {
            let (file, line) = (record.file().unwrap_or("-"), record.line().map_or(0, |line| line.min(1)));
            let text = format!("{} {} {file} {line} {}", record.level(), record.target(), record.args());
            self.0.lock().expect("no test panics with it").push(text);
        }

        fn flush(&self) {}
    }

    #[test]
    fn lines_become_records() {
        log::set_logger(&KEPT).expect("no other test sets it");
        let sent = crate::log::Log::new().at_level(2).to(forward);
        let work = || {
            crate::log::warning!("no transform for {}", "utt1 (of spk)");
            crate::log::log!("Done\n2 utterances");
            crate::log::vlog!(2, "detail");
            crate::log::vlog!(3, "more");
            crate::log::error!("cannot open http://h/a?sig=1");
        };
        let ((), lines) = sent.enter(|| crate::log::capture(work));
        // The first line has no head.
        forward(b"free text\n");
        forward(&lines);
        sent.enter(|| crate::log::log!("at once"));
        let file = "forward.rs 1";
        let expected = [
            "INFO kaldi_tables - 0 free text".to_owned(),
            format!("WARN kaldi_tables {file} no transform for utt1 (of spk)"),
            format!("INFO kaldi_tables {file} Done\\n2 utterances"),
            format!("TRACE kaldi_tables {file} detail"),
            format!("ERROR kaldi_tables {file} cannot open http://h/a?sig=1"),
            format!("INFO kaldi_tables {file} at once"),
        ];
        assert_eq!(*KEPT.0.lock().expect("no test panics with it"), expected);
    }
}
