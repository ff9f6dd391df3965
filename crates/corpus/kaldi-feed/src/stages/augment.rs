//! Stages that change features at random. Sound passes unchanged.

use crate::params::Params;
use crate::{Registry, Result, SampleShape, SpecAugment, SpecSubstitute, SpecTrim, Stage};

pub(super) fn register(registry: &mut Registry) {
    registry.register("spec_aug", spec_aug);
    registry.register("spec_sub", spec_sub);
    registry.register("spec_trim", spec_trim);
}

fn spec_aug(params: &mut Params) -> Result<Stage> {
    let defaults = SpecAugment::default();
    let augment = SpecAugment {
        num_t_mask: count(params, "num_t_mask", defaults.num_t_mask)?,
        num_f_mask: count(params, "num_f_mask", defaults.num_f_mask)?,
        max_t: number(params, "max_t", defaults.max_t)?,
        max_f: number(params, "max_f", defaults.max_f)?,
    };
    // WeNet has this parameter and does not use it.
    params.value("max_w");
    Ok(Stage::spec_aug(augment))
}

fn spec_sub(params: &mut Params) -> Result<Stage> {
    let defaults = SpecSubstitute::default();
    let substitute = SpecSubstitute {
        max_t: number(params, "max_t", defaults.max_t)?,
        num_t_sub: count(params, "num_t_sub", defaults.num_t_sub)?,
    };
    Ok(Stage::spec_sub(substitute))
}

fn spec_trim(params: &mut Params) -> Result<Stage> {
    let trim = SpecTrim { max_t: number(params, "max_t", SpecTrim::default().max_t)? };
    Ok(Stage::spec_trim(trim))
}

/// How many masks or stretches there are.
fn count(params: &mut Params, name: &str, default: usize) -> Result<usize> {
    let count = number(params, name, default)?;
    match count > SpecAugment::MOST {
        true => Err(params.error(name, &format!("at most {}", SpecAugment::MOST), count)),
        false => Ok(count),
    }
}

impl Stage {
    /// `spec_aug`: masks random stretches of frames and of columns of features.
    pub fn spec_aug(augment: SpecAugment) -> Self {
        Self::sample(move |sample| {
            let (augment, mut draws) = (augment.clone(), sample.draws("spec_aug"));
            sample.map_feats(sample.num_frames(), move |mut feats| {
                augment.apply(&mut feats, &mut draws);
                Ok(feats)
            });
            Ok(())
        })
    }

    /// `spec_sub`: puts earlier frames instead of random stretches of features.
    pub fn spec_sub(substitute: SpecSubstitute) -> Self {
        Self::sample(move |sample| {
            let (substitute, mut draws) = (substitute.clone(), sample.draws("spec_sub"));
            sample.map_feats(sample.num_frames(), move |mut feats| {
                substitute.apply(&mut feats, &mut draws);
                Ok(feats)
            });
            Ok(())
        })
    }

    /// `spec_trim`: cuts a random number of frames off the end of features.
    pub fn spec_trim(trim: SpecTrim) -> Self {
        Self::sample(move |sample| {
            let SampleShape::Feats { num_frames, dim } = sample.shape() else { return Ok(()) };
            let left = num_frames - trim.cut(num_frames, &mut sample.draws("spec_trim"));
            if left < num_frames {
                sample.map_feats(left, move |mut feats| {
                    feats.resize(left, dim);
                    Ok(feats)
                });
            }
            Ok(())
        })
    }
}

fn number(params: &mut Params, name: &str, default: usize) -> Result<usize> {
    Ok(params.number(name, default as u64, 0)? as usize)
}
