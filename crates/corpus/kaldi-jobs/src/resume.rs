//! Resuming with a changed plan in the same folder: pieces whose lines are unchanged keep their results.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kaldi_io::log::log;

use crate::command_words::replace_names;
use crate::finish::{finished_before, missing_pieces};
use crate::folder::remove;
use crate::lists::{DealtList, Lines, Stretch, sign_of};
use crate::plan::PlannedPiece;
use crate::resume_shares::{Share, cut_shares, deal_around};
use crate::split_list::each_line;
use crate::{Error, Folder, Measure, Plan, Request, Result};

impl Plan {
    /// The command with names of lists that do not depend on whether entries are left out.
    fn plain_command(command: &[String], names: &[&String]) -> Result<Vec<String>> {
        let names: Vec<_> = names.iter().map(|&name| (name.clone(), DealtList::plain_name(name))).collect();
        replace_names(command, &names)
    }

    /// In what the plan is one of other work than what is wanted now; `None` if lists at most have changed, or how they are
    /// cut.
    fn other_work(&self, request: &Request) -> Result<Option<String>> {
        let changed = |what: &str, now: &str, then: &str| Ok(Some(format!("{what} was {then}, and is {now} now")));
        let folder = std::env::current_dir().map_err(Error::read(Path::new(".")))?;
        let names: Vec<&String> = self.lists.iter().map(|list| &list.name).collect();
        let names_now: Vec<&String> = std::iter::once(&request.split).chain(&request.follow).collect();
        let is_same = self.command == request.command
            || Self::plain_command(&self.command, &names)? == Self::plain_command(&request.command, &names_now)?;
        if !is_same {
            return changed("the command", &request.command.join(" "), &self.command.join(" "));
        }
        if self.folder != folder {
            return changed("the folder", &folder.display().to_string(), &self.folder.display().to_string());
        }
        if self.version != env!("CARGO_PKG_VERSION") {
            return changed("the version of table-jobs", env!("CARGO_PKG_VERSION"), &self.version);
        }
        let archives = self.lists.iter().filter(|list| list.is_of_archive).map(|list| &list.origin);
        if let Some(changes) = self.changes(archives.chain(&self.files)) {
            return Ok(Some(changes));
        }
        let plain = |names: &[&String]| names.iter().map(|name| DealtList::plain_name(name)).collect::<Vec<_>>();
        let is_same = plain(&names) == plain(&names_now) && self.outputs == request.outputs;
        Ok((!is_same).then(|| "the options `split`, `follow` or `out` differ".to_owned()))
    }

    /// Whether the lists are cut as is wanted now, and are what they were.
    fn is_cut_for(&self, request: &Request) -> bool {
        let names = std::iter::once(&request.split).chain(&request.follow);
        let files = self.lists.iter().map(|list| &list.origin).chain(&self.measure_file);
        self.lists.iter().map(|list| &list.name).eq(names)
            && self.measure == request.measure
            && (request.num_pieces == 0 || request.num_pieces == self.most_pieces)
            && self.changes(files).is_none()
    }

    /// The same plan with options that do not change what pieces do.
    fn with_options_of(&self, request: &Request) -> Self {
        let reduce = request.reduce.clone();
        Self { join: request.join, reduce, threads: request.threads, ..self.clone() }
    }
}

impl Folder {
    /// The plan that is kept; if there is none yet, makes it. If the lists have changed since, or other pieces are wanted, pieces
    /// that are done stay as far as their lines are in the lists, and what is left is cut anew.
    ///
    /// # Errors
    /// If the plan cannot be made, an earlier one in this folder is of other work, or pieces of it run.
    pub fn plan_of(&self, request: Request, silence: Duration) -> Result<Plan> {
        let Some(kept) = self.plan()? else {
            if request.num_pieces == 0 {
                return Err(Error::Plan("expected `nj`, the number of pieces".to_owned()));
            }
            let plan = Plan::make(request, self)?;
            self.write_plan(&plan)?;
            return Ok(plan);
        };
        if let Some(difference) = kept.other_work(&request)? {
            let path = self.path().display();
            return Err(Error::Folder(format!(
                "{path} has pieces of other work: {difference}; `restart` forgets them"
            )));
        }
        let wanted = kept.with_options_of(&request);
        wanted.check_outputs(request.is_by_entry, self)?;
        if wanted == kept && kept.is_cut_for(&request) {
            return Ok(kept);
        }
        let _lock = self.lock(silence)?;
        if let Some((piece, there)) = self.running_tries().into_iter().find(|(_, there)| there.seems_alive(silence)) {
            let message = format!("what is wanted has changed, and piece {piece} ({}) still runs: ", there.owner);
            return Err(Error::Folder(message + "`cancel` ends it"));
        }
        if kept.is_cut_for(&request) {
            return self.change_plan(&kept, wanted);
        }
        self.cut_again(&kept, request)
    }

    /// Cuts the lists anew around the pieces that are done.
    fn cut_again(&self, kept: &Plan, request: Request) -> Result<Plan> {
        let most = if request.num_pieces == 0 { kept.most_pieces } else { request.num_pieces };
        let request = Request { num_pieces: most, ..request };
        let mut plan = Plan::of_lists(request, self, kept.times_cut + 1)?;
        plan.files.clone_from(&kept.files);
        let done = kept.done_pieces(self)?;
        let lines = plan.lists[0].path.clone();
        let found = find(&lines, &done.iter().map(|piece| &piece.line_ranges[0]).collect::<Vec<_>>())?;
        let shares = cut_around(&lines, found, most, &plan.measure)?;
        let numbers = numbers(&done, &shares);
        let line_ranges = cut_shares(&lines, &shares)?;
        plan.cut(&numbers, &line_ranges)?;
        let pieces = plan.old_outputs(self)?;
        plan.refuse_own_inputs(&pieces)?;
        let changes = plan.lists.iter().zip(&kept.lists).filter(|(now, then)| now.origin != then.origin);
        for (list, _) in changes {
            log!("{} has changed since the pieces were planned", list.name);
        }
        self.change_plan(kept, plan)
    }

    /// Puts a plan in the place of another one. What was joined is given back to the pieces that stay.
    fn change_plan(&self, old: &Plan, new: Plan) -> Result<Plan> {
        let is_as_before = old.pieces.iter().map(PlannedPiece::signs).eq(new.pieces.iter().map(PlannedPiece::signs))
            && old.numbers().eq(new.numbers())
            && (old.join, &old.reduce) == (new.join, &new.reduce)
            && (new.is_permissive() || !old.is_permissive());
        if !is_as_before {
            old.give_back(self, &new)?;
        }
        self.write_plan(&new)?;
        if !is_as_before {
            remove(&self.finished_path())?;
        }
        // What belongs to pieces that are gone.
        let numbers: HashSet<usize> = new.numbers().collect();
        for number in old.numbers().filter(|number| !numbers.contains(number)) {
            self.withdraw(number)?;
            old.files_of(number, self)?.iter().try_for_each(crate::object::Target::remove)?;
        }
        let copies = |plan: &Plan| -> HashSet<PathBuf> {
            plan.lists.iter().filter(|list| list.is_copy()).map(|list| list.path.clone()).collect()
        };
        copies(old).difference(&copies(&new)).try_for_each(|path| remove(path))?;
        if finished_before(&new, self)?.is_none() {
            let missing = missing_pieces(&new, self)?.len();
            log!("{} of {} pieces stay as they are", new.num_pieces() - missing, new.num_pieces());
        }
        Ok(new)
    }
}

impl Plan {
    /// The pieces that are done, or were when the outputs were joined.
    fn done_pieces(&self, folder: &Folder) -> Result<Vec<PlannedPiece>> {
        let is_finished = finished_before(self, folder)?.is_some();
        if !is_finished {
            // An output was lost after the end: the others still have what the pieces have made.
            self.give_back(folder, self)?;
        }
        let mut done = Vec::new();
        for piece in &self.pieces {
            let Some(record) = folder.record(piece.number)? else { continue };
            let is_done = record.is_of(self, piece)
                && (is_finished || crate::piece::has_outputs(self, folder, piece.number, &record)?);
            if is_done && piece.entries() > 0 {
                done.push(piece.clone());
            }
        }
        Ok(done)
    }
}

/// Where an earlier stretch is in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    /// Which one.
    which: usize,
    /// Its lines.
    lines: Range<u64>,
}

/// A place in a list that may be the start of an earlier stretch.
struct Trial {
    which: usize,
    start: u64,
    lines: Lines,
}

/// Finds earlier ranges of lines in a list: those whose lines stand there one after the other. None overlaps another one.
fn find(path: &Path, old: &[&Stretch]) -> Result<Vec<Found>> {
    let mut starts: HashMap<u64, Vec<usize>> = HashMap::new();
    for (which, line_range) in old.iter().enumerate() {
        starts.entry(line_range.first).or_default().push(which);
    }
    let (mut found, mut trials, mut is_taken) = (Vec::new(), Vec::<Trial>::new(), vec![false; old.len()]);
    each_line(path, |number, line| {
        for &which in starts.get(&sign_of(line)).into_iter().flatten() {
            // Of a line that comes often, only the first place is tried: memory is bounded.
            if !is_taken[which] && trials.iter().all(|trial| trial.which != which) {
                trials.push(Trial { which, start: number - 1, lines: Lines::default() });
            }
        }
        let mut complete = None;
        trials.retain_mut(|trial| {
            trial.lines.put(line);
            let (line_range, is_whole) = (old[trial.which], trial.lines.count == old[trial.which].lines);
            if is_whole && complete.is_none() && trial.lines.sign() == line_range.sign {
                complete = Some(Found { which: trial.which, lines: trial.start..number });
            }
            !is_whole
        });
        if let Some(complete) = complete {
            is_taken[complete.which] = true;
            found.push(complete);
            // All others that are tried have begun before this end.
            trials.clear();
        }
        Ok(())
    })?;
    Ok(found)
}

/// Cuts what is left around the ranges of lines that were found. A speaker whose lines would be in two pieces leaves none of them as it
/// was.
fn cut_around(path: &Path, mut found: Vec<Found>, most: usize, measure: &Measure) -> Result<Vec<Share>> {
    loop {
        let kept: Vec<(usize, Range<u64>)> = found.iter().map(|it| (it.which, it.lines.clone())).collect();
        match deal_around(path, &kept, most, measure)? {
            Ok(shares) => return Ok(shares),
            Err(torn) => found.retain(|it| !torn.contains(&it.which)),
        }
    }
}

/// The number of each piece: that of the earlier one, or the first one that is free.
fn numbers(done: &[PlannedPiece], shares: &[Share]) -> Vec<usize> {
    let kept: HashSet<usize> = shares.iter().filter_map(|share| Some(done[share.kept?].number)).collect();
    if shares.is_empty() {
        // The piece of an empty list.
        return vec![1];
    }
    let mut free = (1..).filter(|number| !kept.contains(number));
    let number = |share: &Share| match share.kept {
        Some(which) => done[which].number,
        None => free.next().unwrap_or_default(),
    };
    shares.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line_ranges(path: &Path, lines: &[u64]) -> Vec<Stretch> {
        let text = fs::read_to_string(path).unwrap();
        let mut all = text.split_inclusive('\n');
        let mut offset = 0;
        let ranges: Vec<Range<u64>> = lines
            .iter()
            .map(|&count| {
                let start = offset;
                offset += all.by_ref().take(count as usize).map(str::len).sum::<usize>() as u64;
                start..offset
            })
            .collect();
        Stretch::read_all(path, &ranges).unwrap()
    }

    fn find_in(old: &str, lines: &[u64], new: &str) -> Vec<(usize, Range<u64>)> {
        let dir = tempfile::tempdir().unwrap();
        let [then, now] = ["then", "now"].map(|name| dir.path().join(name));
        fs::write(&then, old).unwrap();
        fs::write(&now, new).unwrap();
        let old = line_ranges(&then, lines);
        let found = find(&now, &old.iter().collect::<Vec<_>>()).unwrap();
        found.into_iter().map(|it| (it.which, it.lines)).collect()
    }

    #[test]
    fn stretches_are_found_wherever_their_lines_stand_together() {
        let old = "a\nb\nc\nd\ne\nf\n";
        let all = [(0, 0..2), (1, 2..4), (2, 4..6)];
        assert_eq!(find_in(old, &[2, 2, 2], old), all);
        // Another last line end is no other line.
        assert_eq!(find_in(old, &[2, 2, 2], old.trim_end()), all);
        assert_eq!(find_in(old, &[2, 2, 2], "e\nf\nc\nd\na\nb\n"), [(2, 0..2), (1, 2..4), (0, 4..6)]);
        assert_eq!(find_in(old, &[2, 2, 2], "a\nb\nc\nX\ne\nf\n"), [(0, 0..2), (2, 4..6)]);
        assert_eq!(find_in(old, &[2, 2, 2], "x\na\nb\ny\nc\ne\nf\n"), [(0, 1..3), (2, 5..7)]);
        assert_eq!(find_in(old, &[2, 2, 2], "b\na\nd\nc\n"), []);
    }

    #[test]
    fn lines_that_come_again_are_found_once() {
        assert_eq!(find_in("a\nb\na\nb\n", &[2, 2], "a\na\nb\na\nb\n"), [(0, 3..5)]);
        assert_eq!(find_in("a\na\n", &[1, 1], "a\na\na\n"), [(0, 0..1), (1, 1..2)]);
    }
}
