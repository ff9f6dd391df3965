//! Stages one after the other.

use std::sync::Arc;

use kaldi_reader::{BoxReader, Leftover, ReaderExt};

use crate::ledger::{Found, Ledger};
use crate::stage::{Batches, SampleWork, Samples};
use crate::yaml::{Node, YamlValue};
use crate::{Description, Error, ListOrder, Padding, Pass, Registry, Result, Stage};

/// A chain of stages that can be put after sources of samples.
pub struct Chain {
    stages: Vec<Stage>,
    description: Description,
}

impl Chain {
    /// A chain of stages that are made in Rust. It equals what [`Chain::build`] makes of a description with the same stages.
    ///
    /// ```
    /// use kaldi_feed::{Bounds, Chain, Stage};
    /// use kaldi_reader::Leftover;
    ///
    /// let bounds = Bounds { min_length: 20.0, ..Bounds::default() };
    /// let chain = Chain::new([Stage::filter(bounds), Stage::sort(500, 1 << 30), Stage::batch_of(16, Leftover::Keep)])?;
    /// # let _ = chain;
    /// # Ok::<(), kaldi_feed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a stage is at a place where it is not allowed.
    pub fn new(stages: impl IntoIterator<Item = Stage>) -> Result<Self> {
        let mut chain = Self { stages: Vec::new(), description: Description::new("") };
        for stage in stages {
            if let Some(expected) = misplaced(&chain.stages, &stage) {
                let message = format!("expected stage {} {expected}", chain.stages.len() + 1);
                return Err(Error::Arguments { message });
            }
            chain.stages.push(stage);
        }
        Ok(chain)
    }

    /// Makes the stages of a description.
    ///
    /// # Errors
    /// If there is no such stage, its parameters make no sense, or it is at a place where it is not allowed.
    pub fn build(description: &Description, registry: &Registry) -> Result<Self> {
        let mut meant = Description::new(&description.file);
        let mut stages: Vec<Stage> = Vec::new();
        for (name, node) in &description.stages {
            let (stage, parameters) = registry.make(&description.file, name, node, description.commands)?;
            if let Some(expected) = misplaced(&stages, &stage) {
                let place = format!("{}:{}", description.file, node.line);
                return Err(Error::Conf { place, message: format!("expected {name} {expected}") });
            }
            meant.push(name, Node { value: YamlValue::Map(parameters), line: node.line });
            stages.push(stage);
        }
        Ok(Self { stages, description: meant })
    }

    /// The stages with all their parameters. Empty if they were made in Rust ([`Chain::new`]).
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// How batches are padded.
    pub fn padding(&self) -> Padding {
        let padding = self.stages.iter().rev().find_map(|stage| match stage {
            Stage::Padding(padding) => Some(padding.clone()),
            _ => None,
        });
        padding.unwrap_or_default()
    }

    /// The order in which the list is read.
    pub fn list_order(&self) -> ListOrder {
        let mut order = ListOrder::default();
        for stage in &self.stages {
            if let Stage::List(change) = stage {
                change(&mut order);
            }
        }
        order
    }

    /// Puts the stages after a source. Without a stage that makes batches, each sample is a batch.
    pub(crate) fn attach(&self, source: BoxReader<Found, Error>, pass: Pass, ledger: &Ledger) -> Batches {
        let judge = ledger.clone();
        let mut samples: Samples = source.filter_map(move |found| judge.found(found)).boxed();
        let mut batches = None;
        for stage in &self.stages {
            match stage {
                Stage::Sample(work) => samples = worked(samples, Arc::clone(work), ledger.clone()),
                Stage::Labels(labels) => samples = labels.attach(samples, ledger.clone()),
                Stage::Order(order) => samples = order(samples, pass),
                Stage::Batch(batch) => {
                    batches = Some(batch(samples, pass));
                    samples = kaldi_reader::from_fn(|_| Ok(None)).boxed();
                }
                Stage::List(_) | Stage::Padding(_) => {}
            }
        }
        batches.unwrap_or_else(|| samples.batch(1, Leftover::Keep).boxed())
    }
}

fn worked(samples: Samples, work: Arc<SampleWork>, ledger: Ledger) -> Samples {
    let apply = move |mut sample| match work(&mut sample) {
        Ok(()) => Ok(Some(sample)),
        Err(refusal) => ledger.refuse(sample.key.as_ref(), refusal).map(|()| None),
    };
    samples.filter_map(apply).boxed()
}

/// Returns where a stage has to be, if it is not allowed after those before it.
fn misplaced(before: &[Stage], stage: &Stage) -> Option<&'static str> {
    let is_batched = before.iter().any(|stage| matches!(stage, Stage::Batch(_)));
    let is_read = before.iter().any(|stage| !matches!(stage, Stage::List(_)));
    match stage {
        Stage::List(_) if is_read => Some("before all stages that are not of the list"),
        Stage::Batch(_) if is_batched => Some("once, got a second stage that makes batches"),
        Stage::Sample(_) | Stage::Labels(_) | Stage::Order(_) if is_batched => {
            Some("before the stage that makes batches")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standard_stages;

    fn built(text: &str) -> Result<Chain> {
        Chain::build(&Description::parse("c.yaml", text)?, &standard_stages())
    }

    #[test]
    fn stages_stand_where_they_can() {
        let refused = |text| built(text).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(refused("- batch\n- filter\n"), "c.yaml:2: expected filter before the stage that makes batches");
        assert!(refused("- filter\n- cycle\n").starts_with("c.yaml:2: expected cycle before all stages"));
        assert!(refused("- batch\n- batch\n").contains("a second stage"));
        assert_eq!(refused("- bach\n"), "c.yaml:1: there is no stage \"bach\"; did you mean batch?");
        assert!(refused("- mfcc\n").contains("expected mfcc's parameters"), "{}", refused("- mfcc\n"));
    }

    #[test]
    fn a_description_is_complete_and_makes_the_same_chain() {
        let text = "- cycle: {cycle: 3}\n- list_shuffle\n- filter\n- resample\n- speed_perturb\n- fbank: {dither: 1}\n\
                    - spec_aug\n- spec_sub\n- spec_trim\n- shuffle\n- sort\n- batch: {batch_type: dynamic}\n- padding\n";
        let chain = built(text).unwrap();
        let again = chain.description().to_string();
        assert_eq!(built(&again).unwrap().description().to_string(), again);
        assert!(again.contains("max_frames_in_batch: 12000") && again.contains("dither: 1.0"), "{again}");
        assert_eq!(chain.list_order(), ListOrder { window: usize::MAX >> 1, passes: 3 });
        assert_eq!(chain.padding(), Padding::default());
    }
}
