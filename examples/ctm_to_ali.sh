#!/usr/bin/env bash
# Makes alignments from times of phones: of a CTM as `ali-to-phones --ctm-output` writes it, or of HTK's and MFA's aligners.
#
#   examples/ctm_to_ali.sh phones.ctm data/lang/phones.txt mono.mdl data/train/utt2num_frames SIL 0.01 |
#     copy-int-vector ark:- 'ark:| gzip -c > ali.1.gz'
#
# A line of the CTM is: utterance, channel, start, duration, phone (a name of phones.txt, or its number). Gaps become the phone that is
# named, here SIL. The model has one pdf for each state of a phone, as `gmm-init-mono` makes it from a topology: the frames of a phone
# are shared evenly by its states, each with the transition to the next state first and then its self-loops, as Kaldi has it. The last
# word is the seconds from frame to frame. convert-ali makes alignments for a tree of triphones from these.
set -euo pipefail

if [ $# -lt 5 ]; then
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 1
fi
export LC_ALL=C
# The model comes first: without it, awk would say what is wrong with the CTM.
transitions=$(show-transitions --print-args=false "$2" "$3")
awk -v silence="$5" -v shift="${6:-0.01}" '
function fail(message) { print "ctm_to_ali.sh: " message > "/dev/stderr"; failed = 1; exit 1 }

# Finds count states of a phone from this one to its end, from left to right; their numbers are path[1..count].
function find(phone, state, at, count,   index_, key, next_) {
    path[at] = state
    for (index_ = 1; index_ <= num_next[phone, state]; index_++) {
        next_ = next_of[phone, state, index_]
        if (next_ + 0 > state + 0 && (at < count) == ((phone, next_) in num_next)) {
            forward[at] = id_of[phone, state, next_]
            if (at == count || find(phone, next_, at + 1, count)) return 1
        }
    }
    return 0
}

# Prints the transition-ids of a phone of so many frames.
function print_phone(utt, phone, frames,   count, at, share, given, n) {
    if (!(phone in num_states)) fail(utt ": the model has no phone " phone)
    for (count = frames < num_states[phone] ? frames : num_states[phone]; count > 0; count--)
        if (find(phone, 0, 1, count)) break
    if (count == 0) fail(utt ": no path through phone " phone " has " frames " frames: the phone is too short")
    for (at = 1; at <= count; at++) {
        share = int(frames * at / count) - given
        given += share
        printf " %d", forward[at]
        if (share > 1 && !((phone, path[at]) in loop)) fail(utt ": a state of phone " phone " has no self-loop")
        for (n = 1; n < share; n++) printf " %d", loop[phone, path[at]]
    }
}

# Ends an utterance. What rounding makes of its end is up to two frames.
function finish(   left) {
    if (utt == "") return
    left = frames_of[utt] - last
    if (left < -2) fail(utt ": its phones end after frame " last ", and it has " frames_of[utt])
    if (left > 2) { print_phone(utt, phone, length_); print_phone(utt, silence, left) }
    else print_phone(utt, phone, length_ + left)
    print ""
}

FILENAME == ARGV[1] { name[$2] = $1; next }
FILENAME == ARGV[2] && /^Transition-state/ {
    phone_ = $5; state_ = $8
    if ((phone_, state_) in num_next) fail("phone " phone_ " has several pdfs for a state: this needs a model of phones alone")
    num_next[phone_, state_] = 0; num_states[phone_]++
    next
}
FILENAME == ARGV[2] && /Transition-id/ {
    if ($NF == "[self-loop]") loop[phone_, state_] = $3
    else { to = substr($NF, 1, length($NF) - 1); next_of[phone_, state_, ++num_next[phone_, state_]] = to; id_of[phone_, state_, to] = $3 }
    next
}
FILENAME == ARGV[2] { next }
FILENAME == ARGV[3] { frames_of[$1] = $2; next }
{
    if (NF < 5) fail("line " FNR ": expected an utterance, a channel, a start, a duration and a phone, got " NF " columns")
    if (!($1 in frames_of)) fail("line " FNR ": the number of frames of " $1 " is not known")
    begin = int($3 / shift + 0.5); end = int(($3 + $4) / shift + 0.5)
    if ($1 != utt) {
        if ($1 in seen) fail("line " FNR ": " $1 " comes again")
        finish()
        utt = $1; seen[utt] = 1; last = 0; phone = ""
        printf "%s", utt
    }
    if (begin < last) fail("line " FNR ": " utt ": the phone begins before the one before it ends")
    if (phone != "") print_phone(utt, phone, length_)
    if (begin > last) print_phone(utt, silence, begin - last)
    if (end <= begin) fail("line " FNR ": " utt ": the phone has no frame")
    phone = $5 in name ? name[$5] : $5; length_ = end - begin; last = end
}
END { if (!failed) finish() }
' "$2" <(printf '%s\n' "$transitions") "$4" "$1"
