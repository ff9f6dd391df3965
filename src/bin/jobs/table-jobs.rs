//! Runs a command over pieces of its input, on this machine or on the engine of a cluster.
//!
//! Kaldi splits data into folders and submits a script for each with `run.pl`, `slurm.pl` or `queue.pl`.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use bstr::ByteSlice;
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_io::is_remote;
use kaldi_io::log::{log, warning};
use kaldi_jobs::{
    EngineKind, Folder, Join, Measure, Outcome, PieceCounts, Plan, Request, Resources, RunOptions, cancel, finish,
    run_all, run_piece, status,
};
use serde_json::Value;

const USAGE: &str = "\
Runs a command over pieces of its input: on this machine, on Slurm, or through a command such as run.pl. Pieces that fail
for a reason that may pass run again. The same command line goes on where an earlier run has ended. The outputs are those
of the whole run.

Usage: table-jobs [options] -- <command> [<argument> ...]
 e.g.: table-jobs --nj=8 -- compute-mfcc-feats --config=mfcc.conf scp:wav.scp ark,scp:raw.ark,raw.scp
       table-jobs --nj=32 --engine=slurm --mem=2G -- copy-feats scp:a.scp ark,scp:b.ark,b.scp
       table-jobs --nj=4 --split=scp:a.scp --out=ark:b.ark -- sh -c 'copy-feats scp:a.scp ark:- | add-deltas ark:- ark:b.ark'
       table-jobs --status --dir=raw.jobs
See also: table-split, concat-ark
";

#[derive(clap::Args)]
struct Options {
    /// Number of pieces; never more than there are entries, or speakers. A new run requires it; going on does not
    #[arg(long, default_value_t = 0)]
    nj: u32,
    /// Where pieces run: local, slurm, or cmd:COMMAND, which is called as COMMAND [options] JOB=1:n LOG.JOB.log PROGRAM JOB
    #[arg(long, default_value = "local")]
    engine: EngineKind,
    /// Further options for sbatch, or for the command of cmd:
    #[arg(long)]
    engine_args: Option<String>,
    /// Memory of a piece, such as 2G
    #[arg(long)]
    mem: Option<String>,
    /// Time limit of a piece on Slurm, such as 1:00:00
    #[arg(long)]
    time: Option<String>,
    /// Threads of a piece
    #[arg(long, default_value_t = 1)]
    threads: u32,
    /// The most pieces at a time; 0 means as many as the engine allows, and on this machine as many as processors
    #[arg(long, default_value_t = 0)]
    max_running: u32,
    /// What is cut into pieces, as the command names it: a table or a list; found by asking the tool if it is not given
    #[arg(long)]
    split: Option<String>,
    /// Another table of the same keys, as the command names it: a piece gets its keys only. May be given several times
    #[arg(long)]
    follow: Vec<String>,
    /// An output of the command, as it names it; found by asking the tool if not given. May be given several times
    #[arg(long)]
    out: Vec<String>,
    /// What is equal in all pieces, as far as possible: items, bytes, or speakers (items, and no speaker in two pieces)
    #[arg(long, default_value = "items", value_parser = kaldi_cli::one_of(&MEASURES))]
    by: By,
    /// Speaker of each utterance, for --by=speakers
    #[arg(long)]
    utt2spk: Option<InputName>,
    /// Weight of each entry, such as utt2dur: pieces get equal sums
    #[arg(long)]
    weights: Option<Arg>,
    /// Which outputs become one file: auto (all but archives that have a script file), true, or false
    #[arg(long, default_value = "auto", value_parser = kaldi_cli::one_of(&JOINS))]
    join: Join,
    /// The command that makes one file of those of the pieces, with the words IN and OUT, such as 'matrix-sum IN OUT'
    #[arg(long)]
    reduce: Option<String>,
    /// How often a piece runs again after a failure that may be temporary
    #[arg(long, default_value_t = 2)]
    retries: u32,
    /// After this many pieces have failed, the others are cancelled
    #[arg(long, default_value_t = 5)]
    max_failures: u32,
    /// Seconds that a record may be late on a network file system
    #[arg(long, default_value_t = 60)]
    lag: u32,
    /// Seconds without a sign of life after which a piece counts as lost
    #[arg(long, default_value_t = 180)]
    silence: u32,
    /// Folder of the state, on a file system that all machines share; by default the last output with .jobs
    #[arg(long)]
    dir: Option<Arg>,
    /// Forget an earlier run
    #[arg(long)]
    restart: bool,
    /// Run pieces again that are done, if files that their lines name are newer
    #[arg(long)]
    newer: bool,
    /// Plan the pieces, and run nothing
    #[arg(long)]
    dry_run: bool,
    /// Submit the pieces and leave; the same command line goes on
    #[arg(long)]
    detach: bool,
    /// Print each piece: number, state, tries, entries, host, seconds, message
    #[arg(long)]
    status: bool,
    /// Run this piece
    #[arg(long, default_value_t = 0)]
    piece: u32,
    /// Join the outputs of pieces that are all done
    #[arg(long)]
    finish: bool,
    /// Cancel pieces that wait or run
    #[arg(long)]
    cancel: bool,
    command: Vec<Arg>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Items,
    Bytes,
    Speakers,
}

const MEASURES: [(&str, By); 3] = [("items", By::Items), ("bytes", By::Bytes), ("speakers", By::Speakers)];
const JOINS: [(&str, Join); 3] = [("auto", Join::Auto), ("true", Join::All), ("false", Join::Nothing)];

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(table_jobs)).whole("it cuts the input itself");

fn table_jobs(opts: Options) -> Result<Tally> {
    let verbs = [opts.status, opts.piece > 0, opts.finish, opts.cancel];
    match verbs.iter().filter(|verb| **verb).count() {
        0 => return start(&opts),
        1 => {}
        _ => bail!("expected one of --status, --piece, --finish, --cancel"),
    }
    ensure!(opts.command.is_empty(), "expected no command with --status, --piece, --finish, --cancel");
    let dir = opts.dir.as_ref().context("expected --dir with --status, --piece, --finish, --cancel")?;
    let folder = Folder::new(dir.as_path()).absolute()?;
    if opts.piece > 0 {
        run_piece(&folder, opts.piece as usize)?;
        return Ok(Tally::new(1, 0));
    }
    let plan = folder.plan()?.with_context(|| format!("{} has no plan of pieces", folder.path().display()))?;
    if opts.status {
        return print_status(&folder, &plan, opts.silence());
    }
    if opts.cancel {
        cancel(&folder, opts.silence())?;
        return Ok(Tally::new(1, 0));
    }
    report(finish(&folder, &plan, opts.silence())?, &folder, &plan)
}

/// Plans, or goes on with an earlier plan, and runs the pieces.
fn start(opts: &Options) -> Result<Tally> {
    if opts.command.is_empty() {
        return Ok(kaldi_cli::wrong_usage(USAGE, "expected a command after --"));
    }
    let command: Option<Vec<String>> = opts.command.iter().map(|word| Some(word.to_str().ok()?.to_owned())).collect();
    let mut command = command.context("the command has a word that is not UTF-8")?;
    let known = Known::ask(&command).unwrap_or_default();
    if let Some(option) = known.text("add") {
        let is_one = Path::new(&command[0]).file_name().is_some_and(|name| name == "kaldi-tables");
        command.insert(if is_one { 2 } else { 1 }, option);
    }
    let request = opts.request(command, known)?;
    let folder = Folder::new(opts.folder(&request)?).absolute()?;
    opts.engine.check_folder(&folder)?;
    if opts.restart {
        folder.remove(opts.silence())?;
    }
    ensure!(opts.nj > 0 || folder.plan()?.is_some(), "expected --nj, the number of pieces");
    folder.create()?;
    let plan = folder.plan_of(request, opts.silence())?;
    log!("{} entries in {} pieces; state in {}", plan.num_entries(), plan.num_pieces(), folder.path().display());
    if opts.dry_run {
        return Ok(Tally::new(1, 0));
    }
    let options = opts.run_options()?;
    let mut progress = Progress::new();
    let outcome = run_all(&folder, &plan, &options, &mut |counts| progress.show(counts));
    progress.clear();
    report(outcome?, &folder, &plan)
}

/// Prints how the run has ended.
fn report(outcome: Outcome, folder: &Folder, plan: &Plan) -> Result<Tally> {
    match outcome {
        Outcome::Finished(did_anything) => Ok(Tally::new(u64::from(did_anything), 0)),
        Outcome::Detached => {
            log!("All pieces are submitted; the same command line goes on");
            Ok(Tally::new(1, 0))
        }
        Outcome::Interrupted(signal) => {
            warning!("ended by signal {signal}; pieces that are done stay, and the same command line goes on");
            Ok(Tally::new(1, 0).exit_with(130))
        }
        Outcome::Cancelled => {
            warning!("cancelled; pieces that are done stay, and the same command line goes on");
            Ok(Tally::new(1, 0).exit_with(130))
        }
        Outcome::Failed(failures) => {
            let all = plan.num_pieces();
            let mut lines = Vec::new();
            for (number, message) in failures.iter().take(5) {
                lines.push(format!("piece {number}: {message}"));
            }
            let log = folder.path().join("log").display().to_string();
            bail!("{} of {all} pieces have failed (logs in {log}): {}", failures.len(), lines.join("; "))
        }
        _ => bail!("the run has ended in an unknown way"),
    }
}

fn print_status(folder: &Folder, plan: &Plan, silence: Duration) -> Result<Tally> {
    let mut lines = String::new();
    for piece in status(folder, plan, silence)? {
        let seconds = piece.seconds.map_or(String::new(), |seconds| format!("{seconds:.3}"));
        let message = piece.message.unwrap_or_default().replace(['\t', '\n'], " ");
        let (number, state, tries, entries, host) = (piece.number, piece.state, piece.tries, piece.entries, piece.host);
        writeln!(lines, "{number}\t{state}\t{tries}\t{entries}\t{host}\t{seconds}\t{message}")?;
    }
    kaldi_io::print(lines)?;
    Ok(Tally::new(1, 0))
}

/// What a tool of this program says of its command line.
#[derive(Default)]
struct Known {
    outputs: Vec<String>,
    /// `None` if it is no tool, or does not know how it runs in pieces.
    pieces: Option<Value>,
    /// Why the tool refuses the command line.
    refusal: Option<String>,
}

impl Known {
    /// Asks this program about the command, as the tool of its name. `None` if it cannot be asked.
    fn ask(command: &[String]) -> Option<Self> {
        let (name, arguments) = match command {
            [program, tool, rest @ ..] if Path::new(program).file_name()? == "kaldi-tables" => (tool.as_str(), rest),
            [program, rest @ ..] => (Path::new(program).file_name()?.to_str()?, rest),
            [] => return None,
        };
        let mut asked = Command::new(std::env::current_exe().ok()?);
        asked.arg0(name).args(arguments).env("KALDI_TABLES_NAMES", "1").stdin(Stdio::null());
        let output = asked.output().ok()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        // The place of the message is that of the tool: for other names, the program answers that has all tools.
        let place = format!(":{name}.rs:");
        let refusal = errors.lines().filter_map(|line| line.strip_prefix("ERROR (")?.split_once(") "));
        let refusal = refusal.filter(|(start, _)| start.contains(&place)).map(|(_, message)| message.to_owned()).next();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let words =
            |key: &str| answer[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Some(Self {
            outputs: words("outputs").collect(),
            pieces: Some(answer["pieces"].clone()).filter(Value::is_object),
            refusal,
        })
    }
}

impl Known {
    /// What the tool says of how it runs in pieces.
    fn text(&self, key: &str) -> Option<String> {
        self.pieces.as_ref().and_then(|pieces| Some(pieces[key].as_str()?.to_owned()))
    }

    /// The outputs, among them a folder that only the way of running in pieces names.
    fn outputs(&self) -> Vec<String> {
        let mut outputs = self.outputs.clone();
        let more = self.pieces.as_ref().and_then(|pieces| pieces["outputs"].as_array()).into_iter().flatten();
        for name in more.filter_map(Value::as_str) {
            if !outputs.iter().any(|output| output == name) {
                outputs.push(name.to_owned());
            }
        }
        outputs
    }
}

impl Options {
    fn request(&self, command: Vec<String>, known: Known) -> Result<Request> {
        let name = command[0].clone();
        let is_tool = known.pieces.is_some();
        let text = |key: &str| known.text(key);
        let advice = "--split and --out say what is cut and what is written";
        let split = match (&self.split, text("how").as_deref()) {
            (Some(split), _) => split.clone(),
            (None, Some("whole")) => {
                bail!("{name} cannot run in pieces: {}", text("why").unwrap_or_default())
            }
            (None, Some(_)) => text("of").with_context(|| format!("{name}: nothing to cut is known; {advice}"))?,
            (None, None) => match known.refusal {
                Some(message) => bail!("{name} refuses this command line: {message}"),
                None => bail!("it is not known how {name} runs in pieces; {advice}"),
            },
        };
        let outputs = if self.out.is_empty() { known.outputs() } else { self.out.clone() };
        let are_files = text("how").is_some_and(|how| how == "files");
        let join = if are_files && self.join == Join::Auto { Join::Nothing } else { self.join };
        ensure!(
            !are_files || join == Join::Nothing,
            "what {name} makes of a piece is complete by itself, and is not joined: expected --join=auto or --join=false"
        );
        ensure!(!outputs.is_empty() || known.pieces.is_some(), "no output of {name} is known; {advice}");
        let measure = match (self.by, &self.utt2spk, &self.weights) {
            (By::Items, None, Some(list)) => Measure::Weights { list: list.as_path().to_owned() },
            (By::Items, None, None) => Measure::Items,
            (By::Bytes, None, None) => Measure::Bytes,
            (By::Speakers, Some(utt2spk), None) => Measure::Speakers { utt2spk: utt2spk.as_path().to_owned() },
            (By::Speakers, None, _) => bail!("expected --utt2spk with --by=speakers"),
            (_, Some(_), _) => bail!("expected --utt2spk with --by=speakers only"),
            (_, None, Some(_)) => bail!("expected --weights with --by=items only"),
        };
        Ok(Request {
            command,
            num_pieces: self.nj as usize,
            split,
            follow: self.follow.clone(),
            outputs,
            measure,
            join,
            is_by_entry: text("how").is_some_and(|how| how == "entries" || how == "speakers"),
            reduce: self.reduce.clone().or_else(|| text("reduce")),
            threads: self.threads.max(1) as usize,
            is_tool,
            written: known.outputs(),
        })
    }

    /// The folder of the state.
    fn folder(&self, request: &Request) -> Result<PathBuf> {
        let Some(dir) = &self.dir else { return Ok(request.default_folder()?) };
        ensure!(
            !is_remote(dir.as_bytes()),
            "expected --dir to be a folder of a file system, got {}: stores have no renames",
            dir.as_bstr()
        );
        Ok(dir.as_path().to_owned())
    }

    fn silence(&self) -> Duration {
        Duration::from_secs(self.silence.into())
    }

    fn run_options(&self) -> Result<RunOptions> {
        ensure!(
            !self.detach || self.engine == EngineKind::Slurm,
            "--detach needs an engine that outlives this process: slurm"
        );
        let mut resources = Resources::default();
        resources.memory.clone_from(&self.mem);
        resources.time.clone_from(&self.time);
        resources.threads = self.threads.max(1) as usize;
        resources.max_running = Some(self.max_running as usize).filter(|most| *most > 0);
        resources.engine_args =
            self.engine_args.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect();
        Ok(RunOptions {
            engine: self.engine.clone(),
            resources,
            retries: self.retries as usize,
            max_failures: self.max_failures as usize,
            lag: Duration::from_secs(self.lag.into()),
            silence: self.silence(),
            detach: self.detach,
            newer: self.newer,
        })
    }
}

/// One line of progress on a terminal.
struct Progress {
    start: Instant,
    shown: Option<Instant>,
    entries_before: Option<u64>,
    is_terminal: bool,
}

impl Progress {
    fn new() -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { start: Instant::now(), shown: None, entries_before: None, is_terminal }
    }

    fn show(&mut self, counts: PieceCounts) {
        let before = *self.entries_before.get_or_insert(counts.entries_done);
        let interval = if self.is_terminal { Duration::from_millis(500) } else { Duration::from_secs(10) };
        if self.shown.unwrap_or(self.start).elapsed() < interval {
            return;
        }
        self.shown = Some(Instant::now());
        let (done, left) = (counts.entries_done - before, counts.entries - counts.entries_done);
        let time = match done {
            0 => String::new(),
            _ => {
                let seconds = (self.start.elapsed().as_secs_f64() / done as f64 * left as f64) as u64;
                format!(", {}:{:02} left", seconds / 60, seconds % 60)
            }
        };
        let line = format!(
            "{} of {} pieces, {} running, {} failed, {} of {} entries{time}",
            counts.done, counts.pieces, counts.running, counts.failed, counts.entries_done, counts.entries
        );
        match self.is_terminal {
            true => {
                let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
            }
            false => log!("{line}"),
        }
    }

    fn clear(&self) {
        if self.is_terminal && self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
