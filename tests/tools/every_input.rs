//! Input that is missing, cut, damaged or empty, in the fields of all tools: one line that names the file and the place, the right
//! exit status, and nothing half-written.
//!
//! The command lines are valid ones, of recorded cases of Kaldi and of [`LINES`], and only one file is changed. What other commands of a
//! case pass to the tool, or make for it, is made before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use regex::Regex;

use super::every_output;
use super::models::training;
use crate::golden::case;
use crate::support::Scratch;
use crate::support::each::{check_each, run};
use crate::support::registry::{self, Tool};

/// Command lines of tools, commands that make some of their files, and their words, besides those of [`every_output::LINES`]. Other files
/// are those of [`every_output::inputs`].
const LINES: &[(&str, &str, &str)] = &[
    (
        "apply-transform",
        "printf 's [\n1 0\n0 1 ]\n' > each; echo u1 s > spk; echo u2 s >> spk",
        "--utt2spk=ark:spk ark:each ark:a.ark ark:OUT",
    ),
    ("check-shards", "", "s.tar"),
    (
        "compute-plp-feats",
        "echo u1 s > spk; echo s 1.1 > warps; echo u1 u1.wav > one.scp",
        "--sample-frequency=8000 --vtln-map=ark:warps --utt2spk=ark:spk scp:one.scp ark:OUT",
    ),
    ("convert-codes", "", "--join-with=ark:frames ark:codes ark,t:OUT"),
    ("copy-shards", "echo u1 > keys", "--keys=keys s.tar copies OUT"),
    ("copy-shards", "echo other > keys", "--exclude=keys s.tar copies OUT"),
    ("export-data-dir", "", "--format=nemo --utts=data/utt2spk data OUT"),
    ("extend-wav-with-silence", "", "scp:wav.scp ark:OUT"),
    ("feats-to-png", "echo u1 1 2 3 > labels", "--symbols=units ark:labels OUT.png"),
    ("feats-to-png", "", "--wav=scp:wav.scp ark:a.ark OUT.png"),
    ("feed-batches", "", "--chain=chain.yaml --data-type=table --text=text scp:wav.scp new"),
    ("filter-utts", "printf 'u1 1\\nu2 2\\n' > durations", "--utt2dur=durations --min-length=1 a.scp OUT"),
    (
        "filter-utts",
        "",
        "--utt2num-frames=ark:frames --utt2labels=ark:frames --min-length=1 --max-output-input-ratio=9 a.scp OUT",
    ),
    ("find-copies", "", "--against=scp:wav.scp scp:wav.scp OUT"),
    ("index-shards", "", "s.tar"),
    ("indexed-blend", "echo {} > description", "--description=description --weights=1 --size=10 new"),
    (
        "indexed-build-samples",
        "echo {} > description",
        "--description=description --seq-length=1 --num-samples=1 set new",
    ),
    ("indexed-merge", "echo set > list", "--prefixes=list new"),
    ("indexed-split", "echo 0 > list", "--documents=list set new-%d"),
    ("indexed-to-int-vector", "printf 'u1\nu2\n' > keys", "--keys=keys set ark,t:OUT"),
    ("int-vector-to-indexed", "", "ark:frames new"),
    ("int-vector-to-indexed", "printf 'u1 1\nu2 0\n' > modes", "--modes=ark:modes ark:frames new"),
    ("lattice-best-path", "printf '<eps> 0\nfive 5\n' > words", "--word-symbol-table=words ark:lats ark,t:OUT"),
    ("lattice-copy", "echo u1 > utts", "--include=utts ark:lats ark:OUT"),
    ("lattice-copy", "echo u2 > utts", "--exclude=utts ark:lats ark:OUT"),
    (
        "lattice-oracle",
        "printf '<eps> 0\nfive 5\n' > words; echo u1 5 > reference",
        "--word-symbol-table=words ark:lats ark:reference ark,t:OUT",
    ),
    (
        "lattice-score",
        "printf '<eps> 0\nfive 5\n' > words; echo u1 five > reference; echo um > drop",
        "--inv-acwt=1 --penalty=0 --word-symbol-table=words --text=ark:reference --drop-words=drop ark:lats",
    ),
    (
        "linear-to-nbest",
        "lattice-to-nbest ark:lats ark:- | nbest-to-linear ark:- ark:ali ark:words ark:lm ark:ac",
        "ark:ali ark:words ark:lm ark:ac ark:OUT",
    ),
    ("list-shards", "", "s.tar"),
    ("make-data-dir", "export-data-dir --format=nemo data manifest.json", "manifest.json new"),
    ("make-raw-list", "printf 'u1 u1 0 0.2\nu2 u1 0.2 0.4\n' > segments", "--segments=segments wav.scp text OUT"),
    ("make-shar", "", "data new"),
    ("make-shar", "", "--utts=data/utt2spk data new"),
    (
        "make-shard-list",
        "printf 'u1 u1 0 0.2\nu2 u1 0.2 0.4\n' > segments",
        "--segments=segments scp:wav.scp text folder OUT",
    ),
    ("make-shard-list", "", "--format=nemo --utt2spk=data/utt2spk scp:wav.scp text folder OUT"),
    ("make-symbols", "echo '{noise}' > signs", "--non-lang-syms=signs text OUT"),
    ("pad-feats", "echo b1 u1 u2 > batches", "--batches=ark:batches ark:a.ark ark:OUT"),
    ("table-check", "", "a.ark"),
    ("table-diff", "", "a.ark b.ark"),
    ("table-export", "", "--format=npz ark:a.ark OUT.npz"),
    ("table-get", "", "--keys=text a.ark"),
    ("table-head", "", "a.ark"),
    ("table-head", "printf '<eps> 0\nfive 5\n' > words", "--dot --symbols=words ark:lats"),
    (
        "table-import",
        "table-export --format=npy --stack --write-keys=keys ark:a.ark a.npy",
        "--keys=keys a.npy ark:OUT",
    ),
    ("table-info", "", "a.ark"),
    ("table-jobs", "", "--nj=1 --by=speakers --utt2spk=data/utt2spk -- copy-feats scp:a.scp ark,scp:OUT,OUT.scp"),
    ("table-keys", "", "a.ark"),
    ("table-report", "", "--against=b.ark a.ark OUT"),
    ("table-report", "", "--hyp=text data OUT"),
    ("table-sort", "", "--by=length --utt2num-frames=ark:frames ark:a.ark ark:OUT"),
    ("table-split", "", "--parts=1 --by=speakers --utt2spk=data/utt2spk a.scp OUT.%d"),
    ("table-stats", "", "a.ark"),
    ("table-stats", "", "--by=speaker --utt2spk=data/utt2spk a.ark"),
    (
        "feed-batches",
        "printf 'dataset_conf:\\n  fbank_conf: {num_mel_bins: 10, dither: 0.0}\\n  batch_conf: {batch_type: static, batch_size: 1}\\n' > conf; echo '{noise}' > signs",
        "--conf=conf --symbols=units --non-lang-syms=signs --data-type=table --text=text scp:wav.scp new",
    ),
    (
        "feed-batches",
        "feed-feats --chain=chain.yaml --data-type=table --text=text scp:wav.scp ark:feats; compute-cmvn-stats ark:feats cmvn",
        "--cmvn=cmvn --chain=chain.yaml --data-type=table --text=text scp:wav.scp new",
    ),
    (
        "feed-feats",
        "printf 'dataset_conf:\\n  fbank_conf: {num_mel_bins: 10, dither: 0.0}\\n  batch_conf: {batch_type: static, batch_size: 1}\\n' > conf; echo '{noise}' > signs",
        "--conf=conf --symbols=units --non-lang-syms=signs --data-type=table --text=text scp:wav.scp ark:OUT",
    ),
    (
        "feed-feats",
        "feed-feats --chain=chain.yaml --data-type=table --text=text scp:wav.scp ark:feats; compute-cmvn-stats ark:feats cmvn",
        "--cmvn=cmvn --chain=chain.yaml --data-type=table --text=text scp:wav.scp ark:OUT",
    ),
    (
        "feed-batches",
        SUBWORDS,
        "--conf=conf --symbols=pieces --bpe-model=bpe.model --data-type=table --text=text scp:wav.scp new",
    ),
    (
        "feed-feats",
        SUBWORDS,
        "--conf=conf --symbols=pieces --bpe-model=bpe.model --data-type=table --text=text scp:wav.scp ark:OUT",
    ),
    (
        "check-shards",
        "make-shard-list --format=nemo scp:wav.scp text folder list; cp folder/tarred_audio_manifest.json manifest; cp folder/audio_0.tar audio_0.tar",
        "--manifest=manifest audio_0.tar",
    ),
    ("make-symbols", "", "--mode=bpe --model=bpe.model text OUT"),
    ("tokenize-text", "echo '{noise}' > signs", "--symbols=units --mode=word --non-lang-syms=signs text ark:OUT"),
    (
        "tokenize-text",
        "make-symbols --mode=bpe --model=bpe.model text pieces",
        "--symbols=pieces --mode=bpe --model=bpe.model text ark:OUT",
    ),
];

/// Makes the symbols of a SentencePiece model, and a configuration of a training that uses it.
const SUBWORDS: &str = "make-symbols --mode=bpe --model=bpe.model text pieces; printf 'tokenizer: bpe\\ndataset_conf:\\n  fbank_conf: {num_mel_bins: 10, dither: 0.0}\\n  batch_conf: {batch_type: static, batch_size: 1}\\n' > conf";

/// As [`LINES`], with the files of [`training::recorded`].
const ON_MODELS: &[(&str, &str, &str)] = &[
    ("fgmm-global-acc-stats-post", "", "--weights=ark:weights ark:ubm-post 2 ark:feats OUT"),
    ("fmpe-apply-transform", "", "1.fmpe ark:feats ark:gselect ark:OUT"),
    ("fmpe-init", "", "ubm OUT"),
    ("gmm-basis-fmllr-accs", "", "--spk2utt=ark:spk2utt mdl ark:feats ark:post OUT"),
    ("gmm-basis-fmllr-training", "", "mdl OUT b.acc"),
    ("gmm-est-basis-fmllr", "", "--spk2utt=ark:spk2utt --fmllr-min-count=5 mdl basis ark:feats ark:post ark:OUT"),
    (
        "gmm-est-basis-fmllr-gpost",
        "",
        "--spk2utt=ark:spk2utt --fmllr-min-count=5 mdl basis ark:feats ark:gpost ark:OUT",
    ),
    ("gmm-est-fmllr", "", "--spk2utt=ark:spk2utt --fmllr-min-count=5 mdl ark:feats ark:post ark:OUT"),
    (
        "gmm-est-fmllr-raw",
        "",
        "--raw-feat-dim=2 --spk2utt=ark:spk2utt --fmllr-min-count=5 mdl full.mat ark:spliced ark:post ark:OUT",
    ),
    ("gmm-global-est-lvtln-trans", "", "--spk2utt=ark:spk2utt ubm 2.lvtln ark:feats ark:ubm-post ark:OUT"),
    (
        "gmm-init-biphone",
        "echo '<Topology> <TopologyEntry> <ForPhones> 1 2 </ForPhones> <State> 0 <PdfClass> 0 <Transition> 0 0.5 <Transition> 1 0.5 </State>' \
         '<State> 1 </State> </TopologyEntry> </Topology>' > topo; printf '1\\n2\\n' > sets; printf '1 5\\n2 5\\n' > counts",
        "--shared-phones=sets --phone-counts=counts topo 2 OUT OUT.tree",
    ),
    (
        "gmm-init-model-flat",
        "sed -n '/<Topology>/,/<.Topology>/p' mdl > topo; gmm-init-mono topo 2 new tree",
        "tree topo OUT ark:feats",
    ),
    (
        "gmm-init-mono",
        "sed -n '/<Topology>/,/<.Topology>/p' mdl > topo; printf '1\\n2\\n' > sets",
        "--shared-phones=sets topo 2 OUT OUT.tree",
    ),
    (
        "init-ubm",
        "echo ' [ 10 30 30 10 ]' > occupancies",
        "--ubm-num-gauss=2 --intermediate-num-gauss=4 mdl occupancies OUT",
    ),
    ("nnet3-get-egs", "cp feats ivectors", "--num-pdfs=9 --ivectors=ark:ivectors ark:feats ark:post ark:OUT"),
    (
        "nnet3-get-egs-dense-targets",
        "cp feats ivectors; cp feats targets",
        "--num-targets=2 --ivectors=ark:ivectors ark:feats ark:targets ark:OUT",
    ),
    ("sum-mllt-accs", "gmm-acc-mllt mdl ark:feats ark:post mllt", "OUT mllt mllt"),
];

/// The file of what other commands of a case pass to the tool through a pipe.
const PIPED: &str = "piped";

/// A valid command line, and its inputs of which something is shown.
#[derive(Clone)]
struct Line {
    tool: String,
    /// Commands that make some of the files, or nothing.
    preparation: String,
    words: Vec<String>,
    /// By the name of an option or argument: the file.
    fields: BTreeMap<String, String>,
    files: Files,
}

/// Where the files of a line are.
#[derive(Clone)]
enum Files {
    /// Their names, and the paths of their bytes.
    OfCase(BTreeMap<String, PathBuf>),
    In(Arc<Scratch>),
}

impl Files {
    fn has(&self, name: &str) -> bool {
        match self {
            Files::OfCase(files) => files.contains_key(name),
            Files::In(folder) => folder.path(name).is_file(),
        }
    }
}

/// Splits a script before its first command of a tool.
fn split<'a>(script: &'a str, tool: &str) -> Option<(&'a str, &'a str)> {
    let is_it = |command: &str| command.split_whitespace().next() == Some(tool);
    let (mut quote, mut start) = (None, 0);
    for (at, letter) in script.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '|' | '&' | ';') if is_it(&script[start..at]) => break,
            (None, '|' | '&' | ';') => start = at + 1,
            _ => {}
        }
    }
    is_it(&script[start..]).then(|| script.split_at(start))
}

/// The commands of a script before that of a tool, made to write what they would pass to it into [`PIPED`]; `None` if they are not
/// that simple.
fn preparation(before: &str) -> Option<String> {
    let before = before.trim_end();
    if before.contains(['$', '`', '(', '{', '\n']) || before.ends_with("||") {
        return None;
    }
    if let Some(before) = before.strip_suffix('|') {
        return Some(format!("{before}> {PIPED}"));
    }
    Some(before.strip_suffix("&&").or(before.strip_suffix(';')).unwrap_or(before).to_owned())
}

/// The words of a command line up to the first thing that is not one of the tool; `None` if it is not that simple.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let quoted: String = letters.by_ref().take_while(|other| *other != letter).collect();
                if quoted.contains(['$', '`', '\\', '|']) {
                    return None;
                }
                word.get_or_insert_default().push_str(&quoted);
            }
            ' ' => words.extend(word.take()),
            // `2>&1`, `> file`
            '>' => {
                word.take_if(|word| word == "1" || word == "2");
                break;
            }
            '|' | '&' | ';' => break,
            '<' | '$' | '`' | '\\' | '*' | '?' | '\n' | '(' | '{' => return None,
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

/// The words with the options of config files in the place of these.
fn without_configs(words: Vec<String>, inputs: &BTreeMap<String, PathBuf>) -> Vec<String> {
    let options = |word: String| match word.strip_prefix("--config=").and_then(|file| inputs.get(file)) {
        Some(path) => {
            let config = fs::read_to_string(case::folder().join("data").join(path)).unwrap();
            let options = config.lines().map(|line| line.split('#').next().unwrap_or(line).trim());
            options.filter(|option| !option.is_empty()).map(ToOwned::to_owned).collect()
        }
        None => vec![word],
    };
    words.into_iter().flat_map(options).collect()
}

/// The names of the arguments that are given when there are so many.
fn arguments_of(tool: &Tool, count: usize) -> Vec<&registry::Argument> {
    let mut rest = count.saturating_sub(tool.arguments.iter().filter(|argument| argument.required).count());
    let mut given = Vec::new();
    for argument in &tool.arguments {
        if argument.required {
            given.push(argument);
        } else if rest > 0 {
            rest -= 1;
            given.push(argument);
        }
        if argument.many {
            given.extend(std::iter::repeat_n(argument, std::mem::take(&mut rest)));
        }
    }
    given
}

impl Line {
    fn new(tool: &Tool, preparation: String, mut words: Vec<String>, files: Files) -> Option<Line> {
        let given = words.iter().filter(|word| !word.starts_with("--")).count();
        let mut arguments = arguments_of(tool, given).into_iter();
        if arguments.len() != given {
            return None;
        }
        let is_made = |file: &str| preparation.split([' ', ':', ',', ';', '=']).any(|word| word == file);
        let mut fields = BTreeMap::new();
        for word in &mut words {
            let (name, start) = match word.strip_prefix("--") {
                Some(option) => {
                    let Some((name, _)) = option.split_once('=') else { continue };
                    let start = name.len() + 3;
                    let name = name.replace('_', "-").to_lowercase();
                    let is_input = |option: &&registry::ToolOption| option.role.as_deref() == Some("input");
                    if !tool.options.iter().filter(is_input).any(|option| option.name == name) {
                        continue;
                    }
                    (format!("--{name}"), start)
                }
                None => {
                    let argument = arguments.next().expect("as many as words");
                    if argument.role.as_deref() != Some("input") {
                        continue;
                    }
                    (argument.name.clone(), 0)
                }
            };
            let kind = word[start..].split_once(':').filter(|(kind, _)| is_table(kind)).map(|(kind, _)| kind.len() + 1);
            let start = start + kind.unwrap_or(0);
            if &word[start..] == "-" && is_made(PIPED) {
                word.replace_range(start.., PIPED);
            }
            let file = &word[start..];
            if !file.is_empty() && (files.has(file) || is_made(file)) {
                fields.entry(name).or_insert_with(|| file.to_owned());
            }
        }
        Some(Line { tool: tool.name.clone(), preparation, words, fields, files })
    }

    /// Whether the tool reads a file as a table.
    fn is_table(&self, file: &str) -> bool {
        let is_it = |word: &String| word.ends_with(&format!(":{file}")) || word.contains(&format!(":{file}["));
        self.words.iter().any(is_it)
    }

    /// The line with the least is tried for a field: without preparation, archives rather than lists, few bytes, but enough for an entry
    /// or two.
    fn cost(&self, field: &str) -> (bool, bool, bool, u64) {
        let file = &self.fields[field];
        let is_script = file.ends_with(".scp");
        let size = match &self.files {
            Files::OfCase(files) => {
                let size = |path| fs::metadata(case::folder().join("data").join(path)).map_or(0, |file| file.len());
                files.values().map(size).sum()
            }
            Files::In(_) => 0,
        };
        (!self.preparation.is_empty(), is_script, size < 200, size)
    }
}

/// `ark`, `ark,t`, `scp,p` ... but not permissive ones.
fn is_table(kind: &str) -> bool {
    let mut parts = kind.split(',');
    matches!(parts.next(), Some("ark" | "scp")) && parts.all(|part| part != "p")
}

/// The lines that are tried, each with the fields that it is tried for.
fn lines(tools: &[Tool]) -> Vec<Line> {
    let by_name: BTreeMap<&str, &Tool> = tools.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    let quirks = case::quirks();
    let mut all = Vec::new();
    for case in case::cases() {
        let is_done = matches!(case.exit, case::Exit::Code(0));
        let Some(tool) = by_name.get(case.tool.as_str()).filter(|_| is_done) else { continue };
        if quirks.iter().any(|quirk| quirk.cases.is_match(&case.name)) {
            continue;
        }
        let Some((before, command)) = split(&case.cmd, &case.tool) else { continue };
        let (Some(preparation), Some(mut words)) = (preparation(before), words(command)) else { continue };
        words.remove(0);
        let words = without_configs(words, &case.inputs);
        all.extend(Line::new(tool, preparation, words, Files::OfCase(case.inputs)));
    }
    let mut add = |tool: &str, commands: &str, line: &str, folder: &Arc<Scratch>| {
        let words = words(line).expect("a line is simple");
        let line = Line::new(by_name[tool], commands.to_owned(), words, Files::In(folder.clone()));
        all.push(line.expect("a line has the right number of arguments"));
    };
    let (models, recorded) = training::recorded();
    let (inputs, models) = (Arc::new(every_output::inputs()), Arc::new(models));
    every_output::LINES.iter().for_each(|(tool, line)| add(tool, "", line, &inputs));
    LINES.iter().for_each(|(tool, commands, line)| add(tool, commands, line, &inputs));
    ON_MODELS.iter().for_each(|(tool, commands, line)| add(tool, commands, line, &models));
    for (command, _) in recorded {
        let (tool, line) = command.split_once(' ').expect("a command has arguments");
        add(tool, "", line, &models);
    }
    let mut best = BTreeMap::<(String, String), usize>::new();
    for (at, line) in all.iter().enumerate() {
        for field in line.fields.keys() {
            let place = best.entry((line.tool.clone(), field.clone())).or_insert(at);
            if line.cost(field) < all[*place].cost(field) {
                *place = at;
            }
        }
    }
    let mut chosen = BTreeMap::<usize, BTreeSet<String>>::new();
    for ((_, field), at) in best {
        chosen.entry(at).or_default().insert(field);
    }
    let with = |(at, wanted): (usize, BTreeSet<String>)| {
        let mut line = all[at].clone();
        line.fields.retain(|field, _| wanted.contains(field));
        line
    };
    chosen.into_iter().map(with).collect()
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Missing,
    Cut,
    Damaged,
    Empty,
}

impl Change {
    fn name(self) -> &'static str {
        match self {
            Change::Missing => "missing",
            Change::Cut => "cut",
            Change::Damaged => "damaged",
            Change::Empty => "empty",
        }
    }

    /// What is left of a file, `Some(None)` if nothing; `None` if the change makes no sense for it.
    fn apply(self, bytes: &[u8], is_table: bool) -> Option<Option<Vec<u8>>> {
        // After the first entries of a table, and inside of one; near the start of a model.
        let at = if is_table { (bytes.len() * 5 / 8 + 3).min(bytes.len()) } else { bytes.len() / 8 };
        match self {
            Change::Missing => Some(None),
            // Text that is cut may be whole.
            Change::Cut => bytes.contains(&0).then(|| Some(bytes[..at].to_vec())),
            Change::Damaged => Some(Some([&bytes[..at], b"\0BX ]x[ @\xff\n]x[ \0B @\n"].concat())),
            Change::Empty => Some(Some(Vec::new())),
        }
    }
}

/// How a run has ended: exit status, both streams, and the files that are new.
struct End {
    code: Option<i32>,
    stdout: Vec<u8>,
    log: String,
    new: Vec<String>,
}

/// A folder with the files of a line, in which it runs again and again.
struct Folder<'a> {
    line: &'a Line,
    scratch: Scratch,
    before: Vec<String>,
}

impl<'a> Folder<'a> {
    fn new(line: &'a Line) -> Self {
        let scratch = Scratch::new();
        match &line.files {
            Files::In(folder) => {
                scratch.sh(&format!("cp -R {}/. .", folder.path("").display())).succeeds();
            }
            Files::OfCase(files) => {
                for (name, path) in files {
                    let to = scratch.path(name);
                    fs::create_dir_all(to.parent().unwrap()).unwrap();
                    fs::copy(case::folder().join("data").join(path), to).unwrap();
                }
            }
        }
        if !line.preparation.is_empty() {
            scratch.sh(&line.preparation).succeeds();
        }
        let before = scratch.list();
        Folder { line, scratch, before }
    }

    fn run(&self) -> End {
        let words = [&["--print-args=false".to_owned()][..], &self.line.words].concat();
        let output = run(&self.scratch, &self.line.tool, &words);
        let new: Vec<_> = self.scratch.list().into_iter().filter(|name| !self.before.contains(name)).collect();
        for name in &new {
            let path = self.scratch.path(name);
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        End { code: output.status.code(), stdout: output.stdout, log, new }
    }

    /// What happens with the file of a field changed, if it is not what is expected; of an empty file always, with the status.
    fn outcome(&self, field: &str, change: Change) -> Option<String> {
        let file = &self.line.fields[field];
        let path = self.scratch.path(file);
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{} {field} {file}: {error}", self.line.tool));
        let changed = change.apply(&bytes, self.line.is_table(file))?;
        fs::remove_file(&path).unwrap();
        if let Some(bytes) = changed {
            fs::write(&path, bytes).unwrap();
        }
        let end = self.run();
        fs::write(&path, &bytes).unwrap();
        let table = self.line.is_table(file).then_some(&bytes[..]);
        describe(&end, change, file, table).map(|what| format!("{}={what}", change.name()))
    }
}

/// Whether a table may have an entry with the key: before a binary value or a graph of OpenFst, or at the start of a line.
fn has_key(table: &[u8], key: &str) -> bool {
    let has = |header: &[u8]| {
        let entry = [key.as_bytes(), b" ", header].concat();
        table.windows(entry.len()).any(|bytes| bytes == entry)
    };
    let starts = |line: &[u8]| line.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b" "));
    has(b"\0B") || has(b"\xd6\xfd\xb2\x7e") || table.split(|byte| *byte == b'\n').any(starts)
}

/// What is not as expected in an end: status 255, one line of an error with the place, the key if it is in an entry of a table, and
/// what was expected there, and nothing left.
fn describe(end: &End, change: Change, file: &str, table: Option<&[u8]>) -> Option<String> {
    let errors: Vec<&str> = end.log.lines().filter(|line| line.starts_with("ERROR")).collect();
    let code = end.code.map_or("signal".to_owned(), |code| code.to_string());
    let mut what = if change == Change::Empty || end.code != Some(255) { vec![code] } else { Vec::new() };
    if change == Change::Empty && !end.stdout.is_empty() {
        what.push("stdout".to_owned());
    }
    if end.log.contains("internal error") || end.log.contains("panicked") {
        what.push("panic".to_owned());
    }
    if errors.len() > 1 {
        what.push(format!("{}-errors", errors.len()));
    }
    if end.code == Some(255) {
        if !end.new.is_empty() {
            what.push(format!("leaves-{}", end.new.join("-")));
        }
        let place = match change {
            Change::Missing => regex::escape(file),
            Change::Cut | Change::Damaged => {
                format!("{}(:[0-9]+|: line [0-9]+|: expected text in UTF-8)", regex::escape(file))
            }
            Change::Empty => String::new(),
        };
        if change != Change::Empty && !errors.iter().any(|line| Regex::new(&place).unwrap().is_match(line)) {
            what.push("no-place".to_owned());
        }
        if matches!(change, Change::Cut | Change::Damaged) {
            let first = |line: &str| line.split_once(") ")?.1.split_once(": ").map(|(first, _)| first.to_owned());
            let names_key = |table| errors.iter().any(|line| first(line).is_some_and(|key| has_key(table, &key)));
            if table.is_some_and(|table| !names_key(table)) {
                what.push("no-key".to_owned());
            }
            if !errors.iter().any(|line| line.contains("expected ") || line.contains(" ends ")) {
                what.push("no-expectation".to_owned());
            }
        }
    }
    (!what.is_empty()).then(|| what.join(","))
}

/// `tests/data/broken_inputs.txt` has the status with an empty file, for each field, and what is not as it is in all others.
#[test]
fn what_is_missing_cut_damaged_or_empty_is_told_by_all_tools() {
    let tools = registry::tools();
    let lines = lines(tools);
    let found = Mutex::new(BTreeSet::new());
    check_each(&lines, |_, line| {
        let folder = Folder::new(line);
        // The recorded cases are tried elsewhere, as they are.
        let end = (matches!(line.files, Files::In(_)) || !line.preparation.is_empty()).then(|| folder.run());
        if let Some(End { code, log, .. }) = end.filter(|end| end.code != Some(0)) {
            return Err(format!("{} {:?}: {code:?} {log}", line.tool, line.words));
        }
        for field in line.fields.keys() {
            let changes = [Change::Empty, Change::Missing, Change::Cut, Change::Damaged];
            let outcomes: Vec<_> = changes.into_iter().filter_map(|change| folder.outcome(field, change)).collect();
            found.lock().unwrap().insert(format!("{} {field} {}", line.tool, outcomes.join(" ")));
        }
        Ok(())
    });
    let found = found.into_inner().unwrap();
    let expected = include_str!("../data/broken_inputs.txt");
    let expected: BTreeSet<_> = expected.lines().filter(|line| !line.starts_with('#')).map(ToOwned::to_owned).collect();
    let joined = |lines: Vec<&String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (new, gone) = (found.difference(&expected).collect(), expected.difference(&found).collect());
    assert!(found == expected, "found:\n{}expected:\n{}", joined(new), joined(gone));
}

#[test]
fn keys_stand_before_binary_values_or_first_in_lines() {
    assert!(["a", "b"].iter().all(|key| has_key(b"a \0BFM \x04b \0BFM ", key)) && has_key(b"a x\nb x\n", "b"));
    assert!(!has_key(b"a x\nb x\n", "x") && !has_key(b"a \0BFM ", "FM"));
}

#[test]
fn a_tool_that_takes_broken_input_is_found() {
    let end = |code, log: &str, new: &[&str]| End {
        code,
        stdout: Vec::new(),
        log: log.to_owned(),
        new: new.iter().map(|name| (*name).to_owned()).collect(),
    };
    let judge = |end: &End, change| describe(end, change, "in.ark", Some(b"a 1\nb 2\n"));
    let error = "LOG (x[0.1.0]:main():x.rs:1) Done.\nERROR (x[0.1.0]:main():x.rs:1) b: in.ark:12: expected a number\n";
    for change in [Change::Missing, Change::Cut, Change::Damaged] {
        assert_eq!(judge(&end(Some(255), error, &[]), change), None);
        for (wrong, what) in [
            (end(Some(0), "", &["out"]), "0"),
            (end(Some(1), error, &[]), "1"),
            (end(None, "", &[]), "signal"),
            (end(Some(101), "thread 'main' panicked at x.rs:1:1", &[]), "101,panic"),
            (end(Some(255), &error.replace("expected", "internal error, please report it: expected"), &[]), "panic"),
            (end(Some(255), error, &["out"]), "leaves-out"),
            (end(Some(255), &error.repeat(2), &[]), "2-errors"),
            (end(Some(255), &error.replace("in.ark", "another"), &[]), "no-place"),
        ] {
            assert_eq!(judge(&wrong, change).as_deref(), Some(what), "{}", wrong.log);
        }
    }
    for change in [Change::Cut, Change::Damaged] {
        let no_key = end(Some(255), &error.replace(" b: ", " "), &[]);
        assert_eq!(judge(&no_key, change).as_deref(), Some("no-key"));
        assert_eq!(describe(&no_key, change, "in.ark", None), None, "no table");
        let unexpected = end(Some(255), &error.replace("expected", "not"), &[]);
        assert_eq!(judge(&unexpected, change).as_deref(), Some("no-expectation"));
        assert_eq!(judge(&end(Some(255), "", &[]), change).as_deref(), Some("no-place,no-key,no-expectation"));
    }
    assert_eq!(judge(&end(Some(255), "", &[]), Change::Missing).as_deref(), Some("no-place"));
    let no_number = error.replace(":12", "");
    assert_eq!(judge(&end(Some(255), &no_number, &[]), Change::Missing), None);
    assert_eq!(judge(&end(Some(255), &no_number, &[]), Change::Damaged).as_deref(), Some("no-place"));
    assert_eq!(judge(&end(Some(1), "", &["out"]), Change::Empty).as_deref(), Some("1"));
    assert_eq!(judge(&end(Some(255), error, &["out"]), Change::Empty).as_deref(), Some("255,leaves-out"));
    let writing = End { stdout: b"a".to_vec(), ..end(Some(1), "", &[]) };
    assert_eq!(judge(&writing, Change::Empty).as_deref(), Some("1,stdout"));
}
