//! Which options have an effect on which manifests.

use super::Manifest;
use crate::{Error, Extra, ManifestOptions, Result};

impl Manifest {
    const ALL: [Self; 7] = [Self::Csv, Self::Tsv, Self::Nemo, Self::Wenet, Self::Lhotse, Self::Shar, Self::Columns];

    /// What messages call manifests of this kind.
    fn described(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::Nemo => "manifests of NeMo",
            Self::Wenet => "raw lists of WeNet",
            Self::Lhotse => "manifests of lhotse",
            Self::Shar => "Shar folders",
            Self::Columns => "Parquet and Arrow",
        }
    }
}

impl ManifestOptions {
    /// Makes sure that no option is given that has no effect on manifests of a kind, or on folders of sound if there is none.
    ///
    /// # Errors
    /// If one is: its name, and for what it is.
    pub fn check(&self, manifest: Option<Manifest>) -> Result<()> {
        use Manifest::{Columns, Csv, Lhotse, Nemo, Shar, Tsv, Wenet};
        const NAMED: &[Manifest] = &[Csv, Tsv, Nemo, Wenet, Lhotse, Columns];
        const FIELDS: &[Manifest] = &[Csv, Tsv, Nemo, Wenet, Columns];
        let asked = |option: &str| self.fields.asked().any(|(name, _)| name == option);
        let rules: [(&str, bool, &[Manifest]); 11] = [
            ("audio_dir", self.audio_dir.is_some(), NAMED),
            ("audio_field", asked("audio_field"), FIELDS),
            ("text_field", asked("text_field"), &Manifest::ALL),
            ("utt_field", asked("utt_field"), &Manifest::ALL),
            ("speaker_field", asked("speaker_field"), &Manifest::ALL),
            ("language_field", asked("language_field"), &Manifest::ALL),
            ("gender_field", asked("gender_field"), &Manifest::ALL),
            ("split", self.split.is_some(), &[Columns]),
            ("audio", self.copies_all, &[Nemo, Shar, Columns]),
            ("extra", self.extra != Extra::None, &Manifest::ALL),
            ("shards", self.shards.is_some(), &[Nemo]),
        ];
        let splits_channels = ("split_channels", self.split_channels, &[Lhotse, Shar][..]);
        let has_none = |kinds: &[Manifest]| manifest.is_none_or(|manifest| !kinds.contains(&manifest));
        match rules.into_iter().chain([splits_channels]).find(|(_, is_given, kinds)| *is_given && has_none(kinds)) {
            None => Ok(()),
            Some((option, _, kinds)) => {
                let found = manifest.map_or("folders of sound", Manifest::described);
                let kinds = kinds.iter().map(|kind| kind.described()).collect::<Vec<_>>().join(", ");
                Err(Error::Nothing(format!("`{option}` has no effect on {found}, but on {kinds}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_without_effect_is_refused() {
        let mut options = ManifestOptions::default();
        Manifest::ALL.iter().for_each(|kind| options.check(Some(*kind)).unwrap());
        options.check(None).unwrap();
        options.shards = Some("a.tar".into());
        options.check(Some(Manifest::Nemo)).unwrap();
        let error = options.check(Some(Manifest::Csv)).unwrap_err().to_string();
        assert_eq!(error, "`shards` has no effect on CSV, but on manifests of NeMo");
        options = ManifestOptions::default();
        options.extra = Extra::All;
        assert!(Manifest::ALL.iter().all(|kind| options.check(Some(*kind)).is_ok()));
        assert!(options.check(None).unwrap_err().to_string().starts_with("`extra` has no effect on folders of sound"));
        options = ManifestOptions::default();
        options.fields.audio = Some("x".to_owned());
        let refusing: Vec<_> = Manifest::ALL.into_iter().filter(|kind| options.check(Some(*kind)).is_err()).collect();
        assert_eq!(refusing, [Manifest::Lhotse, Manifest::Shar]);
    }
}
