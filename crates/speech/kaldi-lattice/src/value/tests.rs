use kaldi_value::testing::{SeededRandom, keeps_the_contract, reads, reads_before, refuses};

use super::*;
use crate::builder::Builder;
use crate::cost::Cost;
use crate::graph::{Arc, Span};
use crate::testing::{compact, plain};

fn random_graph(random: &mut SeededRandom, form: GraphForm) -> Graph {
    let mut builder = Builder::default();
    let count = random.below(6);
    builder.add_states_to(count);
    if count > 0 {
        // The text form has no states without a start.
        builder.set_start(0);
    }
    let cost = |random: &mut SeededRandom| {
        let acoustic = if form == GraphForm::Standard { 0.0 } else { random.float() };
        Cost::new(random.float(), acoustic)
    };
    let ids = |random: &mut SeededRandom, builder: &mut Builder| {
        let ids = if form == GraphForm::Compact { random.many(4, SeededRandom::integer) } else { Vec::new() };
        builder.add_string(&ids)
    };
    for state in 0..count as u32 {
        for _ in 0..random.below(4) {
            let (input, other) = (random.integer(), random.integer());
            // The arcs of a compact lattice have one label twice, but may have two.
            let has_one = form == GraphForm::Compact && random.below(3) > 0;
            let output = if has_one { input } else { other };
            let (cost, string) = (cost(random), ids(random, &mut builder));
            builder.add_arc(state, Arc { input, output, cost, string, next: random.below(count) as u32 });
        }
        if random.below(3) == 0 {
            let (cost, string) = (cost(random), ids(random, &mut builder));
            builder.set_final(state, cost, string);
        }
    }
    builder.finish()
}

#[test]
fn lattices_keep_the_contract() {
    keeps_the_contract(|random| Lattice(random_graph(random, GraphForm::Plain)));
    keeps_the_contract(|random| CompactLattice(random_graph(random, GraphForm::Compact)));
    keeps_the_contract(|random| Fst(random_graph(random, GraphForm::Standard)));
}

const TEXT: &[u8] = b"\n0\t1\t8\t7.09375,-53.349,3_3_4_1\n1\t2\t0\t0.5,0,\n2\t1.25,0,7_8\n\n";

#[test]
fn text_is_written_as_kaldi_does() {
    let lattice = compact("0 1 8 7.09375,-53.349,3_3_4_1\n1 2 0 0.5,0,\n2 1.25,0,7_8\n");
    assert_eq!(lattice.to_bytes(Format::Text), TEXT);
    let lattice = compact("2 0 5\n0 Infinity,Infinity,\n1\n");
    assert_eq!(lattice.to_bytes(Format::Text), b"\n2\t0\t5\n0\tInfinity,Infinity,\n1\n\n");
    assert_eq!(plain("0 1 3 5 1,2\n1 3,4\n").to_bytes(Format::Text), b"\n0\t1\t3\t5\t1,2\n1\t3,4\n\n");
    assert_eq!(CompactLattice::default().to_bytes(Format::Text), b"\n\n");
}

#[test]
fn two_labels_on_an_arc_of_a_compact_lattice_come_back() {
    for (text, written_as) in [
        ("0 1 8 9 7,-5,3_3\n1\n", "\n0\t1\t8\t9\t7,-5,3_3\n1\n\n"),
        // Without a weight, this would be an arc of a plain lattice.
        ("0 1 8 9 0,0,\n1\n", "\n0\t1\t8\t9\t0,0,\n1\n\n"),
    ] {
        let lattice = compact(text);
        assert_eq!((lattice.arcs(0)[0].input, lattice.arcs(0)[0].output), (8, 9));
        assert_eq!(lattice.to_bytes(Format::Text), written_as.as_bytes());
        reads(written_as.as_bytes(), lattice.clone());
        reads(&lattice.to_bytes(Format::Binary), lattice);
    }
    let no_line = "expected line 2 of a compact lattice, got \"1 2 8 9 7,-5\"";
    refuses::<CompactLattice>(b"\n0 1 8 7,-5,3\n1 2 8 9 7,-5\n2\n\n", 14, no_line);
}

#[test]
fn either_type_is_read_from_either_form() {
    let compact_lattice = compact("0 1 8 1,2,3_4\n1\n");
    let plain_lattice = plain("0 2 3 8 1,2\n1\n2 1 4 0\n");
    assert_eq!(plain("0 1 8 1,2,3_4\n1\n"), plain_lattice);
    assert_eq!(compact("0 2 3 8 1,2\n2 1 4 0\n1\n"), compact_lattice);
    for format in [Format::Binary, Format::Text] {
        reads(&compact_lattice.to_bytes(format), plain_lattice.clone());
        reads(&plain_lattice.to_bytes(format), compact_lattice.clone());
    }
}

#[test]
fn doubles_are_rounded() {
    let bytes = compact("0 1 8 1,2,3_4\n1\n").to_bytes(Format::Binary);
    let mut doubles = bytes.clone();
    // The type, and both costs of the two states and the arc.
    let name = doubles.windows(2).position(|pair| pair == b"44").unwrap();
    doubles[name] = b'8';
    let widen = |doubles: &mut Vec<u8>, at: usize| {
        let cost = f32::from_le_bytes(doubles[at..at + 4].try_into().unwrap());
        doubles.splice(at..at + 4, f64::from(cost).to_le_bytes());
    };
    for at in [74, 82, 110, 118, 150, 158] {
        widen(&mut doubles, at);
    }
    reads(&doubles, compact("0 1 8 1,2,3_4\n1\n"));
    assert!(!CompactLattice::is_canonical_binary(&doubles));
}

#[test]
fn lines_that_fit_both_types_decide_nothing() {
    reads(b"\n0\n", compact("0\n"));
    reads(b"\n0\n", plain("0\n"));
    reads_before(b"\r\n0 1 5 1,2,3 \r\n1\r\n \r\n", b"key \n", compact("0 1 5 1,2,3\n1\n"));
    reads(b"\n", CompactLattice::default());
    reads(b"\n1 1,1,\n0 1 5 1,2,3\n", compact("1 1,1,\n0 1 5 1,2,3\n"));
    reads(b"\n0 1 5 1,2,3\n1 1,2,\n1 3,4,5\n", compact("0 1 5 1,2,3\n1 3,4,5\n"));
}

#[test]
fn what_is_no_line_of_a_lattice_is_refused() {
    for (text, offset, message) in [
        ("\n0 1 x 1,2,3\n1\n\n", 1, "expected line 1 of a compact lattice, got \"0 1 x 1,2,3\""),
        ("\n0 1 5 a,2,3\n1\n\n", 1, "expected a cost, got \"a,2,3\""),
        ("\n0 1 5 1,2,3,4\n", 1, "expected line 1 of a compact lattice, got \"0 1 5 1,2,3,4\""),
        ("\n0 1 5 1,2,3\n1 3,4\n", 13, "expected line 2 of a compact lattice, got \"1 3,4\""),
        ("\n0 1 5 6 1,2\n1 3,4,5\n", 13, "expected line 2 of a plain lattice, got \"1 3,4,5\""),
        ("\n0 1 5 1,2,3__4\n", 1, "expected line 1 of a compact lattice, got \"0 1 5 1,2,3__4\""),
        ("\n0 1 5 6 1,2 7\n", 1, "expected line 1 of a compact lattice, got \"0 1 5 6 1,2 7\""),
        ("\n0 -1 5 1,2,3\n", 1, "expected a state, got \"-1\""),
        ("\n0 1 5 Infinity,Infinity,\n", 1, "expected line 1 of a compact lattice, got \"0 1 5 Infinity,In...\""),
        ("\n0 2000000000 5\n", 1, "expected a state below 1048578 in line 1, got 2000000000"),
        ("x", 0, "expected a lattice (a line end, or bytes of an FST), got \"x\""),
        (" 1 2\n", 1, "expected a line end after the key, got \"1\""),
    ] {
        refuses::<CompactLattice>(text.as_bytes(), offset, message);
    }
}

const EXPECTED: &str = "expected an FST of type \"vector\" with arcs of type \"standard\" or of a lattice, got type";

#[test]
fn damaged_headers_are_refused() {
    let bytes = compact("0 1 8 1,2,3_4\n1\n").to_bytes(Format::Binary);
    let damaged = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    refuses::<CompactLattice>(&damaged(1, 0), 0, "expected the first bytes of an FST (d6 fd b2 7e), got others");
    refuses::<CompactLattice>(
        &damaged(8, b'w'),
        4,
        &format!("{EXPECTED} \"wector\" with arcs of type \"compactlattice44\""),
    );
    let message = format!("{EXPECTED} \"vector\" with arcs of type \"Compactlattice44\"");
    refuses::<CompactLattice>(&damaged(18, b'C'), 4, &message);
    refuses::<CompactLattice>(&damaged(34, 1), 34, "expected an FST of version 2, got 1");
    refuses::<CompactLattice>(&damaged(50, 9), 50, "expected a start state and a number of states, got 9 and 2");
    refuses::<CompactLattice>(&damaged(65, 0x80), 58, "expected a number of states, got -9223372036854775806");
    refuses::<CompactLattice>(&damaged(122, 9), 122, "expected a state below 2 after arc 0 of state 0, got 9");
}

#[test]
fn a_graph_with_one_cost_is_no_lattice() {
    let graph = Fst(plain("0 1 3 5\n1\n").0);
    let bytes = graph.to_bytes(Format::Binary);
    reads(&bytes, graph);
    refuses::<Lattice>(&bytes, 0, "expected a lattice, got an FST with standard arcs");
    let bytes = plain("0 1 3 5\n1\n").to_bytes(Format::Binary);
    refuses::<Fst>(&bytes, 0, "expected an FST with standard arcs, got a lattice");
}

#[test]
fn a_graph_of_another_type_is_refused_by_name() {
    let header = |fst_type: &str, arcs: &str| {
        let name = |name: &str| [&(name.len() as i32).to_le_bytes(), name.as_bytes()].concat();
        [&binary::MAGIC.to_le_bytes()[..], &name(fst_type), &name(arcs), &[2, 0, 0, 0], &[0; 40]].concat()
    };
    for (fst_type, arcs) in [("const", "standard"), ("vector", "log"), ("compact_acceptor", "standard")] {
        let message = format!("{EXPECTED} \"{fst_type}\" with arcs of type \"{arcs}\"");
        refuses::<Fst>(&header(fst_type, arcs), 4, &message);
        assert_eq!(StoredGraph::frame(&header(fst_type, arcs), false).unwrap_err().message, message);
    }
    assert_eq!(StoredGraph::binary_form(&header("vector", "lattice8")), Ok(Some(GraphForm::Plain)));
    assert_eq!(StoredGraph::binary_form(&header("vector", "lattice8")[..20]), Ok(None));
}

#[test]
fn symbol_tables_are_skipped() {
    let lattice = compact("0 1 8 1,2,3_4\n1\n");
    let mut bytes = lattice.to_bytes(Format::Binary);
    bytes[38] = 1;
    let mut symbols = Vec::new();
    symbols.extend_from_slice(&2_125_658_996_i32.to_le_bytes());
    symbols.extend_from_slice(b"\x01\0\0\0n");
    symbols.extend_from_slice(&[1_i64.to_le_bytes(), 1_i64.to_le_bytes()].concat());
    symbols.extend_from_slice(b"\x02\0\0\0ab");
    symbols.extend_from_slice(&0_i64.to_le_bytes());
    bytes.splice(74..74, symbols);
    reads(&bytes, lattice);
    assert!(!CompactLattice::is_canonical_binary(&bytes));
}

#[test]
fn a_cut_file_asks_for_more() {
    let bytes = compact("0 1 8 1,2,3_4\n1\n").to_bytes(Format::Binary);
    for cut in 0..bytes.len() {
        let Ok(Frame::Partial(least)) = CompactLattice::frame(&bytes[..cut], false) else { panic!("{cut}") };
        assert!((cut as u64 + 1..=bytes.len() as u64).contains(&least), "{cut}: {least}");
        assert!(CompactLattice::frame(&bytes[..cut], true).is_err_and(|error| error.at_end), "{cut}");
    }
}

#[test]
fn a_state_that_no_line_names_exists() {
    let mut builder = Builder::default();
    builder.add_states_to(4);
    builder.set_start(0);
    builder.add_arc(0, Arc::word(5, Cost::ONE, Span::EMPTY, 3));
    builder.set_final(3, Cost::ONE, Span::EMPTY);
    reads(b"\n0 3 5\n3\n", CompactLattice(builder.finish()));
}

/// Does what tools do with a lattice; nothing of it may panic or take long.
fn use_all(lattice: &CompactLattice) {
    let mut changed = lattice.clone();
    let _ = changed.prune(1.0);
    let _ = (lattice.best_path(), lattice.best_paths(3), lattice.bayes_risk(None, Default::default()));
    let _ = (lattice.oracle(&[8, 9], |_| false), lattice.determinized(), lattice.0.clone().without_epsilons());
    let mut changed = lattice.clone();
    let _ = (changed.push_strings(), changed.push_costs(), changed.limit_depth(1), changed.normalize(0.5));
    let mut sorted = lattice.clone();
    if sorted.sort() {
        let _ = (sorted.depth_per_frame(), sorted.arc_frames(), sorted.arc_posteriors());
        let _ = to_plain(&sorted).posteriors();
    }
    let _ = (to_compact(&to_plain(lattice)), lattice.reversed(), lattice.to_fst(true), lattice.timed_words());
    changed.join(lattice);
}

#[test]
fn damage_at_every_byte_is_found_or_does_no_harm() {
    let lattice = compact("0 1 8 1,2,3_4\n0 1 9 1,3,3_4\n1 2 0 0,0,5\n2 0.5,0,6\n");
    for format in [Format::Binary, Format::Text] {
        let bytes = lattice.to_bytes(format);
        for at in 0..bytes.len() {
            for byte in [0, 1, b'-', b'9', 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                let _ = CompactLattice::frame(&damaged, true);
                if let Ok(read) = CompactLattice::read(&mut Cursor::new(&damaged))
                    && read.num_states() < 1000
                {
                    use_all(&read);
                }
            }
        }
    }
}

#[test]
fn costs_that_are_not_finite_do_no_harm() {
    for cost in ["inf", "-inf", "nan"] {
        use_all(&compact(&format!("0 1 8 {cost},2,3_4\n0 1 9 1,{cost},3_4\n1 2 0 0,0,5\n2 {cost},0,6\n")));
        use_all(&compact(&format!("0 1 8 1,2,3_4\n1 {cost},{cost},6\n")));
    }
}
