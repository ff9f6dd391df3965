//! Samples of script files and of texts.

use std::collections::HashMap;
use std::sync::Arc;

use bstr::{BString, ByteSlice};
use kaldi_corpus::ListIndex;
use kaldi_corpus::shard::{ListKind, Stored};
use kaldi_io::{Lack, Rspecifier, RspecifierKind};
use kaldi_reader::{BoxReader, ReaderExt};
use kaldi_table::{ScriptLine, count_delivered, parse_script_line};

use super::archives::OpenArchives;
use super::content::Part;
use super::measure::{measured, placed};
use super::picks::{Reading, picks};
use crate::ledger::{BadSamples, Found};
use crate::{Error, Result, Sample, Text};

/// A script file with a file of texts.
pub(crate) struct Table {
    name: Arc<str>,
    index: Arc<ListIndex>,
    texts: Option<Arc<Texts>>,
}

struct Texts {
    name: BString,
    texts: HashMap<BString, BString>,
}

impl Table {
    pub(super) fn open(name: &BString, text: Option<&BString>) -> Result<Self> {
        let script = match Rspecifier::parse(name.as_ref()) {
            Some(Rspecifier { kind: RspecifierKind::Script, rxfilename, .. }) => rxfilename,
            Some(_) => {
                let message = "expected a script file (scp:FILE), whose lines can be read in any order, got an archive";
                return Err(Error::Conf { place: name.to_string(), message: Lack::AnyOrder.explain(message) });
            }
            None => {
                let message = "expected a table such as scp:wav.scp or scp:feats.scp";
                return Err(Error::Conf { place: name.to_string(), message: message.to_owned() });
            }
        };
        let texts = text.map(|name| Texts::read(name).map(Arc::new)).transpose()?;
        let index = ListIndex::open(script.as_ref())?;
        // Not every line of a script file looks like one.
        super::check_kind(&script, &index, |kind| kind == ListKind::Script, "a key and a file name")?;
        Ok(Self { name: script.to_string().into(), index: index.into(), texts })
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    pub(super) fn read(&self, reading: Reading) -> BoxReader<Found, Error> {
        let (name, index, texts) = (Arc::clone(&self.name), Arc::clone(&self.index), self.texts.clone());
        let archives = Arc::<OpenArchives>::default();
        let find = move |(number, seeds)| {
            let line = index.line(number)?;
            count_delivered();
            let found = parse_script_line(&line).map_err(|message| format!("{name}: line {}: {message}", number + 1));
            let found = found.and_then(|line| sample(line, texts.as_deref(), seeds, &archives));
            Ok(Some(found.map_err(BadSamples::from)))
        };
        picks(self.index.len(), reading).filter_map(find).boxed()
    }
}

fn sample(
    line: ScriptLine,
    texts: Option<&Texts>,
    seeds: [u64; 2],
    archives: &Arc<OpenArchives>,
) -> Result<Sample, String> {
    let ScriptLine { key, xfilename } = &line;
    let text = match texts.map(|texts| (texts.texts.get(key), &texts.name)) {
        None => None,
        Some((Some(text), _)) => {
            Some(text.to_str().map_err(|_| format!("{key}: expected a text in UTF-8"))?.to_owned())
        }
        Some((None, name)) => return Err(format!("{key}: expected a text in {name}, got none")),
    };
    let failed = |message: String| format!("{key}: {xfilename}: {message}");
    let locator = line.locator().map_err(|error| failed(error.to_string()))?;
    let (name, range) = (locator.name().to_owned(), locator.range().map(ToOwned::to_owned));
    let part = Part::Any(range);
    let mut sample = match placed(key, seeds, &name, &part, archives) {
        Some(sample) => sample,
        None => measured(key, seeds, Stored::Named(name), part, None).map_err(|message| format!("{key}: {message}"))?,
    };
    sample.text = text;
    Ok(sample)
}

impl Texts {
    fn read(name: &BString) -> Result<Self> {
        let mut source = Text::open(name.as_ref())?;
        let mut texts = HashMap::new();
        while let Some((key, text)) = source.next()? {
            if texts.insert(key.clone(), text).is_some() {
                return Err(Error::KeyTwice { name: name.to_string(), key });
            }
        }
        Ok(Self { name: name.clone(), texts })
    }
}
