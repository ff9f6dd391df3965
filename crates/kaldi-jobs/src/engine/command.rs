//! Pieces by a command in the manner of Kaldi's `run.pl`, `slurm.pl` and `queue.pl`.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::engine::{EndReason, Engine, JobState, Resources, program};
use crate::folder::remove;
use crate::{Error, Folder, Result, signal};

/// One call of the command for each submission.
pub(crate) struct CommandEngine {
    folder: Folder,
    words: Vec<String>,
    resources: Resources,
    calls: Vec<Call>,
    submissions: usize,
}

struct Call {
    pieces: Vec<usize>,
    child: Child,
}

impl CommandEngine {
    pub(crate) fn new(folder: &Folder, command: &str, resources: &Resources) -> Result<Self> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(Error::Engine("expected a command after cmd:, such as cmd:run.pl".to_owned()));
        }
        Ok(Self { folder: folder.clone(), words, resources: resources.clone(), calls: Vec::new(), submissions: 0 })
    }

    /// The words of a call: options, range of jobs, log, and a shell line that finds the piece of a job in a list.
    fn call(&self, num_jobs: usize, list: &str, memory_factor: u32) -> Result<Vec<String>> {
        let mut words = self.words.clone();
        if let Some(memory) = &self.resources.memory {
            words.extend(["--mem".to_owned(), times(memory, memory_factor)?]);
        }
        if self.resources.threads > 1 {
            words.extend(["--num-threads".to_owned(), self.resources.threads.to_string()]);
        }
        if let Some(most) = self.resources.max_running {
            words.extend(["--max-jobs-run".to_owned(), most.to_string()]);
        }
        words.extend(self.resources.engine_args.iter().cloned());
        words.push(format!("JOB=1:{num_jobs}"));
        words.push(
            self.folder.path().join("log").join(format!("engine-{}.JOB.log", self.submissions)).display().to_string(),
        );
        words.extend(["sh".to_owned(), self.script_path(), list.to_owned(), "JOB".to_owned()]);
        Ok(words)
    }

    fn script_path(&self) -> String {
        self.folder.path().join("lists").join("piece.sh").display().to_string()
    }
}

impl Engine for CommandEngine {
    fn room(&mut self) -> usize {
        usize::MAX
    }

    fn submit(&mut self, pieces: &[usize], memory_factor: u32) -> Result<()> {
        self.submissions += 1;
        let list = write_list(&self.folder, pieces, &format!("call{}", self.submissions))?;
        write_script(&self.folder)?;
        let words = self.call(pieces.len(), &list, memory_factor)?;
        let failed = |source| Error::Start { program: words[0].clone(), source };
        let log = self.folder.path().join("log").join(format!("engine-{}.log", self.submissions));
        let log = std::fs::File::create(&log).map_err(Error::write(&log))?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).process_group(0);
        command.stdout(log.try_clone().map_err(failed)?).stderr(log);
        let child = command.spawn().map_err(|source| Error::Start { program: words[0].clone(), source })?;
        self.calls.push(Call { pieces: pieces.to_vec(), child });
        Ok(())
    }

    fn poll(&mut self) -> Result<Vec<(usize, JobState)>> {
        let mut states = Vec::new();
        let mut at = 0;
        while at < self.calls.len() {
            let call = &mut self.calls[at];
            let ended =
                call.child.try_wait().map_err(|source| Error::Start { program: self.words[0].clone(), source })?;
            match ended {
                None => {
                    states.extend(call.pieces.iter().map(|&piece| (piece, JobState::Running)));
                    at += 1;
                }
                Some(status) => {
                    let reason = status.code().is_none().then(|| EndReason::Lost(status.to_string()));
                    states.extend(call.pieces.iter().map(|&piece| (piece, JobState::Ended(reason.clone()))));
                    self.calls.swap_remove(at);
                }
            }
        }
        Ok(states)
    }

    fn kill(&mut self, _piece: usize) {}

    fn cancel(&mut self) {
        for call in &self.calls {
            signal::send_to_group(call.child.id(), libc::SIGTERM);
        }
        for mut call in self.calls.drain(..) {
            let _ = call.child.wait();
        }
    }

    fn outlives(&self) -> bool {
        false
    }
}

/// Writes the pieces of a submission, a line each. Returns the path.
pub(super) fn write_list(folder: &Folder, pieces: &[usize], name: &str) -> Result<String> {
    let path = folder.path().join("lists").join(name);
    remove(&path)?;
    let lines: String = pieces.iter().map(|piece| format!("{piece}\n")).collect();
    folder.write(&path, lines.as_bytes())?;
    Ok(path.display().to_string())
}

/// Writes the script that an engine runs: `piece.sh LIST ELEMENT`, or the element is in Slurm's environment.
pub(super) fn write_script(folder: &Folder) -> Result<String> {
    let path = folder.path().join("lists").join("piece.sh");
    let quote = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let words: Vec<String> = program().iter().map(|word| quote(word)).collect();
    let script = format!(
        "#!/bin/sh\npiece=$(sed -n \"${{2:-$SLURM_ARRAY_TASK_ID}}p\" \"$1\")\nexec {} --piece=\"$piece\" --dir={}\n",
        words.join(" "),
        quote(&folder.path().display().to_string())
    );
    folder.write(&path, script.as_bytes())?;
    Ok(path.display().to_string())
}

/// Memory such as `2G`, multiplied.
pub(super) fn times(memory: &str, factor: u32) -> Result<String> {
    let digits = memory.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = memory.split_at(digits);
    let number: Option<u64> = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor.into()));
    let is_unit = unit.len() <= 1 && unit.bytes().all(|byte| b"KMGTkmgt".contains(&byte));
    match number.filter(|_| is_unit) {
        Some(number) => Ok(format!("{number}{unit}")),
        None => Err(Error::Engine(format!("expected memory such as 500M or 2G in --mem, got {memory:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_in_its_unit() {
        assert_eq!(times("2G", 2).unwrap(), "4G");
        assert_eq!(times("500", 4).unwrap(), "2000");
        for wrong in ["", "G", "2GB", "-1G", "two"] {
            assert!(times(wrong, 1).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_call_has_the_form_of_run_pl() {
        let resources = Resources {
            memory: Some("2G".to_owned()),
            threads: 4,
            max_running: Some(3),
            engine_args: vec!["-x".to_owned()],
            ..Resources::default()
        };
        let mut engine = CommandEngine::new(&Folder::new("D"), "queue.pl --gpu 0", &resources).unwrap();
        engine.submissions = 1;
        let words = engine.call(5, "D/lists/call1", 2).unwrap().join(" ");
        let expected = "queue.pl --gpu 0 --mem 4G --num-threads 4 --max-jobs-run 3 -x JOB=1:5 D/log/engine-1.JOB.log \
                        sh D/lists/piece.sh D/lists/call1 JOB";
        assert_eq!(words, expected);
    }
}
