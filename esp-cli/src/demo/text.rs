//! The report as text, for a terminal of 100 columns.

use std::fmt::Write as _;

use super::plan::Plan;
use super::proof::Proof;
use super::report::{Figures, Report};
use crate::output::{counted, grouped};
use crate::table::{Align, Table};

/// The whole report.
pub(crate) fn render(report: &Report, plan: &Plan) -> String {
    let parts = [
        head(report, plan),
        bad_packets(report),
        phases(report),
        counters(report),
        proof(&report.conservation),
        end(report),
    ];
    parts.join("\n")
}

fn head(report: &Report, plan: &Plan) -> String {
    let (workers, cores) = (report.workers as u64, report.cores as u64);
    let place = match (report.pinned, workers > cores) {
        (_, true) => "more workers than cores: they take turns, the rates are no measure",
        (true, false) => "each bound to a core",
        (false, false) => "not bound to cores: the system does not allow it",
    };
    let denied = match report.denied.as_slice() {
        [] => String::new(),
        features => format!(" (denied: {})", features.join(", ")),
    };
    let seconds = plan.seconds / report.phases.len().max(1) as f64;
    format!(
        "esp demo {version}: {transform} on the {tier} tier{denied}\n\
         {workers} on {cores}, {place}\n\
         Each seals packets and the next one opens them and compares every byte; {seconds:.2} s a phase.\n\
         IPv4 tunnels, ESN; replay window {shared} for the shared SA, {many} for each of {sas}.\n",
        version = report.version,
        transform = report.transform,
        tier = report.tier,
        workers = counted(workers, "worker"),
        cores = counted(cores, "core"),
        shared = grouped(report.window_shared as u64),
        many = grouped(report.window_many as u64),
        sas = counted(report.sas as u64, "SA"),
    )
}

fn bad_packets(report: &Report) -> String {
    let mut table = Table::new(&[
        ("bad packets", Align::Left),
        ("sent", Align::Right),
        ("delivered", Align::Right),
        ("dropped", Align::Right),
        ("as", Align::Left),
        ("", Align::Left),
    ]);
    for kind in &report.bad_packets {
        let numbers = [kind.sent, kind.delivered, kind.dropped].map(grouped);
        let words = [kind.reason, if kind.ok { "ok" } else { "WRONG" }].map(str::to_owned);
        table.row([kind.kind.to_owned()].into_iter().chain(numbers).chain(words));
    }
    table.render()
}

fn phases(report: &Report) -> String {
    let mut table = Table::new(&[
        ("phase", Align::Left),
        ("worker", Align::Right),
        ("packets", Align::Right),
        ("Mpps", Align::Right),
        ("Gbit/s", Align::Right),
        ("seal ns", Align::Right),
        ("open ns", Align::Right),
        ("compare ns", Align::Right),
        ("busy %", Align::Right),
    ]);
    for (n, phase) in report.phases.iter().enumerate() {
        if n > 0 {
            table.rule();
        }
        for row in &phase.workers {
            table.row(figures(&phase.name, &row.worker.to_string(), &row.figures));
        }
        table.row(figures(&phase.name, "all", &phase.total));
    }
    let notes = "\
        IMIX: IP packets of 64, 576 and 1420 bytes, 7:4:1. Gbit/s: of inner IP packets.\n\
        Mpps: packets sealed, carried, opened and compared, by the wall clock.\n\
        ns: a packet, on one worker: in the engine's calls; compare: to make it and to compare it.\n\
        busy: with packets at hand, not waiting for the worker before.\n";
    let waited = report.phases.iter().any(|phase| phase.total.busy < 50.0);
    table.render() + notes + if waited { WAITED } else { "" }
}

fn figures(phase: &str, worker: &str, figures: &Figures) -> [String; 9] {
    [
        phase.to_owned(),
        worker.to_owned(),
        grouped(figures.packets),
        format!("{:.3}", figures.mpps),
        format!("{:.3}", figures.gbps),
        format!("{:.1}", figures.seal_ns),
        format!("{:.1}", figures.open_ns),
        format!("{:.1}", figures.compare_ns),
        format!("{:.1}", figures.busy),
    ]
}

fn counters(report: &Report) -> String {
    let mut text = String::new();
    for (heading, counters) in [("drops", &report.drops), ("other counters", &report.counters)] {
        let counted = counters.iter().map(|(name, n)| format!("{name} {}", grouped(*n)));
        let counted: Vec<_> = counted.collect();
        let counted = if counted.is_empty() { "none".to_owned() } else { counted.join(", ") };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{heading:<LABEL$}{counted}");
    }
    text
}

fn proof(proof: &Proof) -> String {
    let sum = |terms: &[(u64, &str)], sign: &str| {
        let terms = terms.iter().map(|(n, what)| format!("{} {what}", grouped(*n)));
        terms.collect::<Vec<_>>().join(sign)
    };
    let ends = [
        (proof.delivered, "delivered"),
        (proof.consumed, "consumed"),
        (proof.handed_back, "handed back"),
        (proof.dropped, "dropped"),
    ];
    let carried = [(proof.sealed, "sealed"), (proof.opened, "opened"), (proof.compared, "compared")];
    let sas = |live, removed, engine| {
        let sum = sum(&[(live, "in SAs"), (removed, "in removed SAs")], " + ");
        format!("{sum} == {} in the engine", grouped(engine))
    };
    let equations = [
        (proof.conserved(), "packets", format!("{} in == {}", grouped(proof.came), sum(&ends, " + "))),
        (proof.carried(), "timed phases", sum(&carried, " == ")),
        (proof.sas_agree(), "SA packets", sas(proof.sa_packets, proof.removed_packets, proof.engine_packets)),
        (proof.sas_agree(), "SA bytes", sas(proof.sa_bytes, proof.removed_bytes, proof.engine_bytes)),
    ];
    let line = |(holds, label, equation): &(bool, &str, String)| {
        format!("{label:<LABEL$}{equation}{}\n", if *holds { "" } else { "   DOES NOT HOLD" })
    };
    equations.iter().map(line).collect()
}

fn end(report: &Report) -> String {
    if report.ok {
        return "Nothing was lost, and nothing was changed.\n".to_owned();
    }
    let faults = report.faults.iter().map(|fault| format!("  {fault}\n"));
    format!("FAILED:\n{}", faults.collect::<String>())
}

/// Width of the words in front of counters and equations.
const LABEL: usize = 16;
const WAITED: &str = "\
    Workers waited most of the time: the cores have other work too, and the rates fall short.\n";
