//! What a request asks of one utterance.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use http::StatusCode;
use kaldi_any::{FrameWord, Frames};
use kaldi_corpus::TimeSpan;
use kaldi_io::Locator;
use serde_json::{Value, json};

use crate::server::Viewer;
use crate::server::catalog::Says;
use crate::server::failure::{Answer, Failure};
use crate::server::labels::{Word, microseconds, runs, words};
use crate::server::peaks::peaks;
use crate::server::query::Query;
use crate::server::range::Wanted;
use crate::server::reply::{Content, Reply};
use crate::server::sounds::{Sound, SoundPlace};
use crate::server::spectrum::SpectrumFrames;
use crate::server::tiles::{TileGrid, TileRows, check};
use crate::server::tracks::{Track, TrackKind};
use crate::server::wav_file;

/// Bytes of one piece of a file of sound.
const PIECE: u64 = 1 << 18;

/// Columns of a tile, at most.
const MOST_COLUMNS: usize = 1024;

/// Pixels of an outline, at most.
const MOST_PIXELS: usize = 16_384;

/// Milliseconds of a window of the spectrogram, and from one to the next.
const WINDOW: f32 = 25.0;
const SHIFT: f32 = 10.0;

/// Seconds from one frame to the next one, if nothing says it.
const USUAL_SHIFT: f64 = 0.01;

impl Viewer {
    /// The key that a request names.
    ///
    /// # Errors
    /// If there is no such utterance.
    pub(super) fn key(&self, query: &Query) -> Answer<BString> {
        let key = query.need("key")?;
        self.find_key(key.as_bstr())?.ok_or_else(|| Failure::Unknown(format!("there is no utterance {key}")))
    }

    /// The key of an utterance, as it is or as it is shown; `None` if there is no such utterance.
    pub(super) fn find_key(&self, key: &BStr) -> Answer<Option<BString>> {
        match self.catalog.row(key)? {
            Some(_) => Ok(Some(key.to_owned())),
            None => self.catalog.key_shown_as(key),
        }
    }

    /// Whether a value of an utterance is the output of a command, which runs when it is opened.
    pub(super) fn runs_command(&self, key: &BStr) -> Answer<bool> {
        let is_command = |name: &BStr| Locator::parse(name).is_ok_and(|locator| locator.is_command());
        if SoundPlace::find(&self.catalog, key)?.is_some_and(|place| is_command(place.name())) {
            return Ok(true);
        }
        for track in &self.tracks {
            if track.place(&self.catalog, key)?.is_some_and(|(_, place)| is_command(place.rxfilename.as_bstr())) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The sound of an utterance.
    ///
    /// # Errors
    /// If it has none, or it cannot be read.
    fn sound(&self, key: &BStr) -> Answer<Sound> {
        match SoundPlace::find(&self.catalog, key)? {
            Some(place) => self.sounds.get(&place),
            None => Err(Failure::Unknown(format!("{key} has no sound"))),
        }
    }

    /// The track that a request names.
    ///
    /// # Errors
    /// If there is no such track.
    fn track(&self, query: &Query, name: &str) -> Answer<&Track> {
        let number: usize =
            query.number(name)?.ok_or_else(|| Failure::Wrong(format!("expected the parameter {name}")))?;
        let track = number.checked_sub(1).and_then(|place| self.tracks.get(place));
        track.ok_or_else(|| Failure::Unknown(format!("there is no track {number} of a table")))
    }

    fn value(&self, track: &Track, key: &BStr) -> Answer<Arc<Frames>> {
        track.value(&self.catalog, &self.values, &self.sounds.limits, key)
    }

    /// Everything about an utterance.
    pub fn utterance(&self, query: &Query) -> Answer<Value> {
        let key = self.key(query)?;
        let key = key.as_bstr();
        let (sound, mut tracks) = (self.sound(key), Vec::new());
        match &sound {
            Ok(sound) => {
                let spectrum = SpectrumFrames::new(sound, WINDOW, SHIFT).ok();
                tracks.push(json!({
                    "track": 0, "name": "wave", "kind": "wave",
                    "frames": spectrum.as_ref().map_or(0, SpectrumFrames::len),
                    "rows": spectrum.as_ref().map_or(0, SpectrumFrames::num_rows),
                    "frame_shift": f64::from(SHIFT) / 1000.0,
                }));
            }
            Err(Failure::Unknown(_)) => {}
            Err(failure) => {
                tracks.push(json!({ "track": 0, "name": "wave", "kind": "wave", "error": failure.message() }));
            }
        }
        let sound = sound.ok();
        for track in &self.tracks {
            tracks.extend(self.described(track, key, sound.as_ref())?);
        }
        let text = |says| -> Answer<Value> {
            Ok(self.catalog.rest(key, says)?.map_or(Value::Null, |rest| rest.to_str_lossy().into()))
        };
        let (measures, findings) = self.measured(key)?;
        Ok(json!({
            "key": key.to_str_lossy(),
            "duration": sound.as_ref().map(Sound::duration),
            "rate": sound.as_ref().map(Sound::rate),
            "channels": sound.as_ref().map(Sound::num_channels),
            "text": text(Says::Text)?,
            "speaker": text(Says::Speaker)?,
            "measures": measures,
            "findings": findings,
            "tracks": tracks,
        }))
    }

    /// A track of an utterance; `None` if the utterance has none.
    fn described(&self, track: &Track, key: &BStr, sound: Option<&Sound>) -> Answer<Option<Value>> {
        let mut shown = json!({
            "track": track.number, "name": track.name.to_str_lossy(), "kind": track.kind.name(),
        });
        if track.kind == TrackKind::Segments {
            let words = self.words(track, key)?;
            shown["frames"] = words.len().into();
            return Ok((!words.is_empty()).then_some(shown));
        }
        match self.value(track, key) {
            Err(Failure::Unknown(_)) => return Ok(None),
            Err(failure) => shown["error"] = failure.message().into(),
            Ok(value) => {
                let rows = TileRows::new(&value);
                if let Frames::Words { words, .. } = &*value {
                    shown["frames"] = words.len().into();
                    return Ok((!words.is_empty()).then_some(shown));
                }
                shown["frames"] = value.len().into();
                shown["rows"] = rows.num_rows().into();
                if let Some(indices) = rows.indices() {
                    shown["indices"] = indices.into();
                }
                let (shift, is_guess) = self.frame_shift(value.len(), sound);
                shown["frame_shift"] = shift.into();
                shown["guessed"] = is_guess.into();
            }
        }
        Ok(Some(shown))
    }

    /// Seconds from one frame to the next one, and whether they are a guess. Of what has fewer frames than the features, such as
    /// alignments of a subsampled model, it is a multiple of theirs.
    fn frame_shift(&self, frames: usize, sound: Option<&Sound>) -> (f64, bool) {
        let given = self.frame_shift.or(self.catalog.frame_shift);
        let Some(sound) = sound.filter(|_| frames > 0) else { return (given.unwrap_or(USUAL_SHIFT), given.is_none()) };
        let (duration, frames) = (sound.duration(), frames as f64);
        let shift = given.unwrap_or(USUAL_SHIFT);
        let multiple = shift * (duration / frames / shift).round().max(1.0);
        let is_near = (frames * multiple - duration).abs() <= 0.1 + multiple;
        match given.is_some() || is_near {
            true => (microseconds(multiple), given.is_none()),
            // To half a millisecond.
            false => (((duration / frames * 2000.0).round() / 2000.0).max(0.0005), true),
        }
    }

    /// The words of a track of time-marked words. Those of a recording are cut to the segment.
    fn words(&self, track: &Track, key: &BStr) -> Answer<Vec<Word>> {
        let own = track.times(&self.catalog, key)?;
        if !own.is_empty() {
            return Ok(words(&own, 0.0, None));
        }
        let Some((recording, span)) = self.segment(key)? else { return Ok(Vec::new()) };
        let lines = track.times(&self.catalog, recording.as_bstr())?;
        Ok(words(&lines, span.start, span.end.map(|end| end - span.start)))
    }

    /// The recording of a segment, and where it is there.
    fn segment(&self, key: &BStr) -> Answer<Option<(BString, TimeSpan)>> {
        for list in self.catalog.lists_that(|says| matches!(says, Says::Segments(_))) {
            if let Some(line) = self.catalog.line(list, key)? {
                let found = crate::server::sounds::segment(&line)?;
                return Ok(Some((found.recording.into(), found.span)));
            }
        }
        Ok(None)
    }

    /// Parts of time with their labels.
    pub fn labels(&self, query: &Query) -> Answer<Value> {
        let (key, track) = (self.key(query)?, self.track(query, "track")?);
        let key = key.as_bstr();
        if track.kind == TrackKind::Segments {
            return Ok(json!(self.words(track, key)?));
        }
        let value = self.value(track, key)?;
        let (shift, _) = self.frame_shift(value.len(), self.sound(key).ok().as_ref());
        let label = |label: i32| match self.symbols.symbol(label) {
            Some(symbol) => json!(symbol.to_str_lossy()),
            None => json!(label),
        };
        if let Frames::Words { words, .. } = &*value {
            let seconds = |frame: f32| microseconds(f64::from(frame) * shift);
            let shown = |word: &FrameWord| match label(word.word) {
                Value::String(name) => json!(format!("{name} {:.2}", word.confidence)),
                number => json!(format!("{number} {:.2}", word.confidence)),
            };
            return Ok(words.iter().map(|word| json!([seconds(word.begin), seconds(word.end), shown(word)])).collect());
        }
        let runs = runs(&value).ok_or_else(|| {
            Failure::Wrong(format!("track {} is of kind {}, which has no labels", track.number, track.kind.name()))
        })?;
        let seconds = |frame: usize| microseconds(frame as f64 * shift);
        let parts = runs.into_iter().map(|(start, end, index)| json!([seconds(start), seconds(end), label(index)]));
        Ok(parts.collect())
    }

    /// The file of the sound, or a part of it.
    pub fn audio(&self, query: &Query, range: Option<&str>) -> Answer<Reply> {
        let sound = self.sound(self.key(query)?.as_bstr())?;
        let length = wav_file::length(&sound);
        let mut reply = Reply::new("audio/wav", "");
        reply.headers.push(("accept-ranges", "bytes".into()));
        let range = match Wanted::parse(range, length) {
            Wanted::All => 0..length,
            Wanted::Part(range) => {
                reply.status = StatusCode::PARTIAL_CONTENT;
                reply.headers.push(("content-range", format!("bytes {}-{}/{length}", range.start, range.end - 1)));
                range
            }
            Wanted::Outside => {
                reply = Reply::error(StatusCode::RANGE_NOT_SATISFIABLE, "the range is outside of the file");
                reply.headers.push(("content-range", format!("bytes */{length}")));
                return Ok(reply);
            }
        };
        let mut next = range.start;
        let pieces = move || {
            let end = (next + PIECE).min(range.end);
            let piece = if next < end { Some(wav_file::bytes(&sound, next..end)?) } else { None };
            next = end;
            Ok(piece)
        };
        reply.content = Content::Pieces(Some(range.end - range.start), Box::new(pieces));
        Ok(reply)
    }

    /// The outline of the sound.
    pub fn peaks(&self, query: &Query) -> Answer<Reply> {
        let sound = self.sound(self.key(query)?.as_bstr())?;
        let from: f64 = query.number("from")?.unwrap_or(0.0);
        let to: f64 = query.number("to")?.unwrap_or_else(|| sound.duration());
        let width: usize = query.number("width")?.unwrap_or(MOST_COLUMNS);
        if !(from.is_finite() && to.is_finite() && from < to && (1..=MOST_PIXELS).contains(&width)) {
            let message = format!("expected from < to and a width from 1 to {MOST_PIXELS}, got {from}, {to}, {width}");
            return Err(Failure::Wrong(message));
        }
        let peaks = peaks(&sound, from, to, width)?;
        let shape = format!("{width},{}", 2 * sound.num_channels());
        Ok(Reply::numbers(&peaks, vec![("x-shape", shape)]))
    }

    /// A tile of a track.
    pub fn tile(&self, query: &Query) -> Answer<Reply> {
        let key = self.key(query)?;
        let key = key.as_bstr();
        let from: usize = query.number("from")?.unwrap_or(0);
        let count = query.number("count")?.unwrap_or(MOST_COLUMNS).min(MOST_COLUMNS);
        let pool: usize = query.number("pool")?.unwrap_or(1);
        if pool == 0 {
            return Err(Failure::Wrong("expected a pool of 1 or more, got 0".into()));
        }
        let grid = TileGrid { from, count, pool };
        let other = query.get("other").is_some_and(|other| !other.is_empty());
        if query.need("track")? == "0" {
            return match other {
                true => Err(Failure::Wrong("expected no parameter other for the sound".into())),
                false => self.spectrum_tile(query, key, grid),
            };
        }
        let value = self.value(self.track(query, "track")?, key)?;
        let rows = TileRows::new(&value);
        let shape = |columns: usize| ("x-shape", format!("{columns},{}", rows.num_rows()));
        if !other {
            let (columns, tile) = rows.tile(grid)?;
            return Ok(Reply::numbers(&tile, vec![shape(columns)]));
        }
        let other = self.value(self.track(query, "other")?, key)?;
        let (columns, tile, largest) = rows.difference(&TileRows::new(&other), grid)?;
        let largest = largest.map(|largest| ("x-largest", largest.to_string()));
        Ok(Reply::numbers(&tile, [shape(columns)].into_iter().chain(largest).collect()))
    }

    /// A tile of the spectrogram.
    fn spectrum_tile(&self, query: &Query, key: &BStr, grid: TileGrid) -> Answer<Reply> {
        let window: f32 = query.number("window")?.unwrap_or(WINDOW);
        let shift: f32 = query.number("shift")?.unwrap_or(SHIFT);
        if !((1.0..=1000.0).contains(&window) && (0.1..=10_000.0).contains(&shift)) {
            let message =
                format!("expected a window of 1 to 1000 ms and a shift of 0.1 to 10000 ms, got {window}, {shift}");
            return Err(Failure::Wrong(message));
        }
        let sound = self.sound(key)?;
        let spectrum = SpectrumFrames::new(&sound, window, shift)?;
        let columns = grid.num_columns(usize::try_from(spectrum.len()).unwrap_or(usize::MAX));
        check(columns, spectrum.num_rows())?;
        let tile = spectrum.columns(grid.from as u64, columns, grid.pool as u64)?;
        Ok(Reply::numbers(&tile, vec![("x-shape", format!("{columns},{}", spectrum.num_rows()))]))
    }
}
