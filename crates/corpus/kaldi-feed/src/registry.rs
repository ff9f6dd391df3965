//! Stages by their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use kaldi_io::Commands;

use crate::params::{Params, suggestion};
use crate::yaml::Node;
use crate::{Error, Result, Stage};

type Maker = dyn Fn(&mut Params) -> Result<Stage> + Send + Sync;

/// Constructors of stages, by the names in descriptions.
///
/// ```
/// use kaldi_feed::{Chain, Description, Stage, standard_stages};
///
/// let mut registry = standard_stages();
/// registry.register("first_labels", |params| {
///     let number = params.number("number", 5, 1)? as usize;
///     Ok(Stage::sample(move |sample| {
///         sample.labels.iter_mut().for_each(|labels| labels.truncate(number));
///         Ok(())
///     }))
/// });
/// let description = Description::parse("mine.yaml", "- first_labels: {number: 3}\n- batch: {batch_size: 4}\n")?;
/// assert!(Chain::build(&description, &registry)?.description().to_string().starts_with("- first_labels: {number: 3}\n"));
/// # Ok::<(), kaldi_feed::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    makers: BTreeMap<String, Arc<Maker>>,
}

impl Registry {
    /// An empty registry. [`standard_stages`](crate::standard_stages) has the stages of this crate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a stage. It replaces one with the same name.
    pub fn register(&mut self, name: &str, maker: impl Fn(&mut Params) -> Result<Stage> + Send + Sync + 'static) {
        self.makers.insert(name.to_owned(), Arc::new(maker));
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.makers.keys().map(String::as_str)
    }

    /// Makes a stage and returns its parameters, including defaults. `file` is what messages call the configuration. `commands` says
    /// what happens to commands in place of files.
    ///
    /// # Errors
    /// If there is no stage of this name, or its parameters make no sense.
    pub fn make(
        &self,
        file: &str,
        name: &str,
        parameters: &Node,
        commands: Commands,
    ) -> Result<(Stage, Vec<(String, Node)>)> {
        let Some(maker) = self.makers.get(name) else {
            let place = if parameters.line > 0 { format!("{file}:{}", parameters.line) } else { file.to_owned() };
            let message = format!("there is no stage {name:?}{}", suggestion(name, self.names()));
            return Err(Error::Conf { place, message });
        };
        let mut params = Params::new(file, name, parameters)?.with_commands(commands);
        let stage = maker(&mut params)?;
        Ok((stage, params.finish()?))
    }
}
