//! Completions: what a shell needs to propose options and files.

use std::fmt::Write;

use super::help::{Help, HelpOption};

/// A shell that completes words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// `bash`; the script is to be sourced, or found under the name of each tool.
    Bash,
    /// `zsh`; the script is a file `_kaldi-tables` in a folder of `fpath`.
    Zsh,
    /// `fish`; the script is to be sourced, or found under the name of each tool.
    Fish,
}

impl Shell {
    /// The shell of this name: `bash`, `zsh` or `fish`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "bash" => Some(Self::Bash),
            "zsh" => Some(Self::Zsh),
            "fish" => Some(Self::Fish),
            _ => None,
        }
    }
}

/// The tool whose second argument is a key of its first.
const KEYS_TOOL: &str = "table-get";

/// Returns a script by which a shell completes the command lines of these tools: names of options, the words that their values may
/// be, and names of files also after `ark:`, `scp:` and `--option=`. After the tool `launcher` it proposes the names of `commands` and of the
/// tools.
#[must_use]
pub fn completions(shell: Shell, tools: &[Help], launcher: &str, commands: &[&str]) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    let words = [commands, &names].concat().join(" ");
    let tools: Vec<&Help> = tools.iter().filter(|tool| tool.name != launcher).collect();
    match shell {
        Shell::Bash => bash(&tools, launcher, &words),
        Shell::Zsh => zsh(&tools, launcher, &words),
        Shell::Fish => fish(&tools, launcher, &words),
    }
}

fn all_options(tool: &Help) -> impl Iterator<Item = &HelpOption> {
    tool.options.iter().chain(&tool.standard_options)
}

/// Whether the option may be given without a value.
fn is_switch(option: &HelpOption) -> bool {
    option.kind == "bool"
}

fn names(tools: &[&Help]) -> String {
    tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>().join(" ")
}

fn bash(tools: &[&Help], launcher: &str, words: &str) -> String {
    let (mut cases, mut values) = (String::new(), String::new());
    for tool in tools {
        let options: Vec<String> = all_options(tool)
            .map(|option| format!("--{}{}", option.name, if is_switch(option) { "" } else { "=" }))
            .collect();
        let _ = writeln!(cases, "        {}) options='{}' ;;", tool.name, options.join(" "));
        for option in all_options(tool) {
            let choices = if is_switch(option) { "true false".to_owned() } else { option.choices.join(" ") };
            if !choices.is_empty() {
                let _ = writeln!(values, "        '{} --{}') values='{choices}' ;;", tool.name, option.name);
            }
        }
    }
    let names = names(tools);
    format!(
        r#"# Completions of kaldi-tables for bash.
_kaldi_tables() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} tool=${{COMP_WORDS[0]##*/}} option= options= values=
    if [ "$tool" = {launcher} ]; then
        if [ "$COMP_CWORD" -le 1 ] || {{ [ "$COMP_CWORD" = 2 ] && [[ $word != -* ]]; }}; then
            mapfile -t COMPREPLY < <(compgen -W '{words}' -- "$word")
            return
        fi
        tool=${{COMP_WORDS[1]}}
    fi
    # The shell takes : and = for words of their own, so a value stands alone after its option.
    if [ "$word" = = ]; then
        option=${{COMP_WORDS[COMP_CWORD-1]}} word=
    elif [ "$COMP_CWORD" -ge 2 ] && [ "${{COMP_WORDS[COMP_CWORD-1]}}" = = ]; then
        option=${{COMP_WORDS[COMP_CWORD-2]}}
    elif [ "$word" = : ]; then
        word=
    fi
    case "$tool $option" in
{values}    esac
    if [ -n "$values" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
        return
    fi
    case $tool in
{cases}    esac
    # The second name is a key of the table that the first one names.
    if [ "$tool" = {KEYS_TOOL} ] && [[ $word != -* ]]; then
        local line="${{COMP_LINE:0:COMP_POINT}}" names=()
        read -ra names <<< "${{line#*"$tool"}}"
        mapfile -t names < <(printf '%s\n' "${{names[@]}}" | grep -v '^-')
        if [ "${{#names[@]}}" -ge 2 ] || {{ [ "${{#names[@]}}" = 1 ] && [[ $line == *' ' ]]; }}; then
            mapfile -t COMPREPLY < <(compgen -W "$(table-keys --print-args=false "${{names[0]}}" 2>/dev/null | head -n 10000)" -- "$word")
            return
        fi
    fi
    case $word in
        --*)
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            if [ ${{#COMPREPLY[@]}} = 1 ] && [[ ${{COMPREPLY[0]}} == *= ]]; then compopt -o nospace; fi ;;
        *)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
}}
complete -F _kaldi_tables {launcher} {names}
"#
    )
}

fn zsh(tools: &[&Help], launcher: &str, words: &str) -> String {
    let mut cases = String::new();
    for tool in tools {
        let _ = writeln!(cases, "    {}) options=(", tool.name);
        for option in all_options(tool) {
            let help = zsh_quoted(&option.help);
            let _ = match is_switch(option) {
                // The value may be left out.
                true => writeln!(cases, "        '--{}=-[{help}]::bool:(true false)'", option.name),
                false if !option.choices.is_empty() => {
                    writeln!(
                        cases,
                        "        '--{}=[{help}]:{}:({})'",
                        option.name,
                        option.kind,
                        option.choices.join(" ")
                    )
                }
                false => writeln!(cases, "        '--{}=[{help}]:{}:_kaldi_tables_names'", option.name, option.kind),
            };
        }
        cases.push_str("    ) ;;\n");
    }
    let names = names(tools);
    format!(
        r#"#compdef {launcher} {names}
# Completions of kaldi-tables for zsh.
_kaldi_tables_names() {{
    compset -P '*:'
    _files
}}
_kaldi_tables_keys() {{
    local table=${{${{(M)words[2,-1]:#[^-]*}}[1]}}
    compadd -- ${{(f)"$(table-keys --print-args=false $table 2>/dev/null | head -n 10000)"}}
}}
_kaldi_tables() {{
    local -a options
    case $service in
    {launcher}) options=() ;;
{cases}    esac
    if [[ $service == {launcher} ]] && (( CURRENT <= 3 )); then
        compadd -- {words}
        return
    fi
    if [[ $service == {KEYS_TOOL} ]]; then
        _arguments $options '1:name:_kaldi_tables_names' '*:key:_kaldi_tables_keys'
        return
    fi
    _arguments $options '*:name:_kaldi_tables_names'
}}
_kaldi_tables "$@"
"#
    )
}

/// Text between brackets in single quotes.
fn zsh_quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:").replace('\'', "'\\''")
}

fn fish(tools: &[&Help], launcher: &str, words: &str) -> String {
    let mut script = format!(
        "# Completions of kaldi-tables for fish.\n\
         complete -c {launcher} -n 'test (count (commandline -opc)) -le 2' -f -a '{words}'\n"
    );
    let _ = writeln!(
        script,
        "complete -c {KEYS_TOOL} -n 'test (commandline -opc | string match -v -- \"-*\" | count) -ge 2' -f -a \
         '(table-keys --print-args=false (commandline -opc | string match -v -- \"-*\")[2] 2>/dev/null | head -n 10000)'"
    );
    for tool in tools {
        for option in all_options(tool) {
            let value = match option.choices[..] {
                [] if is_switch(option) => String::new(),
                [] => " -r".to_owned(),
                _ => format!(" -x -a '{}'", option.choices.join(" ")),
            };
            let help = option.help.replace('\\', "\\\\").replace('\'', "\\'");
            let _ = writeln!(script, "complete -c {} -l {}{value} -d '{help}'", tool.name, option.name);
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Help {
        let option = |name: &str, kind: &str| HelpOption {
            name: name.into(),
            help: "it's [a:b]".into(),
            kind: kind.into(),
            ..HelpOption::default()
        };
        let words = HelpOption { choices: vec!["one".into(), "two".into()], ..option("z", "string") };
        Help { name: "a-b".into(), options: vec![option("x", "bool"), option("y", "int"), words], ..Help::default() }
    }

    #[test]
    fn values_are_asked_for_where_an_option_has_one() {
        let script = |shell| completions(shell, &[tool()], "kaldi-tables", &["help"]);
        let bash = script(Shell::Bash);
        assert!(bash.contains("        a-b) options='--x --y= --z=' ;;\n"), "{bash}");
        assert!(
            bash.contains("        'a-b --x') values='true false' ;;\n        'a-b --z') values='one two' ;;\n"),
            "{bash}"
        );
        let zsh = script(Shell::Zsh);
        assert!(zsh.starts_with("#compdef kaldi-tables a-b\n"));
        assert!(zsh.contains(r"        '--x=-[it'\''s \[a\:b\]]::bool:(true false)'"), "{zsh}");
        assert!(zsh.contains(r"        '--y=[it'\''s \[a\:b\]]:int:_kaldi_tables_names'"), "{zsh}");
        assert!(zsh.contains(":string:(one two)'"), "{zsh}");
        let fish = script(Shell::Fish);
        assert!(fish.contains("complete -c a-b -l z -x -a 'one two' -d"), "{fish}");
        assert!(fish.contains("complete -c a-b -l x -d 'it\\'s [a:b]'\n"), "{fish}");
        assert!(fish.contains("complete -c a-b -l y -r -d"), "{fish}");
    }

    #[test]
    fn the_launcher_proposes_commands_and_tools() {
        let tools = [tool(), Help { name: "kaldi-tables".into(), ..Help::default() }];
        for shell in ["bash", "zsh", "fish"] {
            let script = completions(Shell::named(shell).unwrap(), &tools, "kaldi-tables", &["help", "manual"]);
            assert!(script.contains("help manual a-b kaldi-tables"), "{script}");
        }
        assert_eq!(Shell::named("csh"), None);
    }
}
