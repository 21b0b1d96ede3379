//! Pretended rollouts. In: a world in which the truth about the candidate is known. Out: what the evidence made of it,
//! when it is looked at after every bad answer and every block.

mod traffic;
pub(crate) mod worlds;

use rand::RngExt;
use rand::rngs::StdRng;
use rand_distr::{Distribution, Exp};
use tierup_stats::{Block, Margin, OriginEvidence, Side, SlownessEvidence};

use traffic::{count, slow_answers};
pub(crate) use worlds::World;

/// The candidate's part of the traffic. At 100 % there is nothing to compare with.
const STEPS: [f64; 4] = [0.01, 0.05, 0.25, 0.5];
/// Ten minutes a step, in blocks.
const BLOCKS_A_STEP: usize = 120;
pub(crate) const BLOCK_SECONDS: f64 = 5.0;

/// The whole rollout's false alarms are at most 1 %, shared by four kinds of evidence.
const ALPHA: f64 = 0.01;
const KINDS: f64 = 4.0;

/// Compared copies a second, and the part of them that goes to a second control process.
const COMPARED: f64 = 10.0;
/// Before the first mismatch, few of them; then half, which finds differences fastest.
const TO_SECOND_CONTROL: [f64; 2] = [0.05, 0.5];

/// What the evidence was against the candidate for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    ServerErrors,
    Timeouts,
    Mismatches,
    Slowness,
}

/// One rollout through all steps: what ended it early, if anything did, and in which block.
pub(crate) fn roll_out(world: &World, random: &mut StdRng) -> Option<(Kind, usize)> {
    let mut rollout = Rollout::new(world, random);
    (0..STEPS.len() * BLOCKS_A_STEP).find_map(|block| Some((rollout.block(block, random)?, block)))
}

struct Rollout<'a> {
    world: &'a World,
    weather: traffic::Weather,
    server_errors: OriginEvidence,
    timeouts: OriginEvidence,
    mismatches: OriginEvidence,
    slowness: SlownessEvidence,
    has_mismatch: bool,
    /// For each key that gives bad answers: the second in which it gives the first, and its place among all keys, which
    /// are the candidate's from 0 up to its weight.
    bad_keys: Vec<(f64, f64)>,
}

impl<'a> Rollout<'a> {
    fn new(world: &'a World, random: &mut StdRng) -> Self {
        let margin = Margin::default();
        let bad_keys = world.bad_keys.iter().flat_map(|keys| keys.rates(world.requests_a_second, random));
        let bad_keys: Vec<_> = bad_keys.collect();
        let first = |rate: &f64, random: &mut StdRng| Exp::new(*rate).expect("rates are above 0").sample(random);
        Rollout {
            world,
            weather: traffic::Weather::new(world, random),
            server_errors: OriginEvidence::new(margin),
            timeouts: OriginEvidence::new(margin),
            mismatches: OriginEvidence::new(margin),
            slowness: SlownessEvidence::new(),
            has_mismatch: false,
            bad_keys: bad_keys.iter().map(|rate| (first(rate, random), random.random())).collect(),
        }
    }

    fn block(&mut self, block: usize, random: &mut StdRng) -> Option<Kind> {
        let (world, weight) = (self.world, STEPS[block / BLOCKS_A_STEP]);
        let moment = self.weather.at(block, random);
        let requests = world.requests_a_second * moment.load * BLOCK_SECONDS;
        let bad = |rate: f64| (requests * (1.0 - weight) * rate, requests * weight * rate * world.ratio);
        let found = |log: f64| log >= (KINDS / ALPHA).ln();

        for (kind, rate) in
            [(Kind::ServerErrors, world.server_errors * moment.failures), (Kind::Timeouts, world.timeouts)]
        {
            let (control, candidate) = bad(rate);
            let evidence = if kind == Kind::Timeouts { &mut self.timeouts } else { &mut self.server_errors };
            for _ in 0..count(control + candidate, random) {
                let is_candidates = random.random_bool(candidate / (control + candidate));
                evidence.bad_answer(side(is_candidates), weight).expect("steps are weights");
                if found(evidence.ln_e_value()) {
                    return Some(kind);
                }
            }
        }
        self.first_bad_answers_of_keys(block, weight);
        if found(self.server_errors.ln_e_value()) {
            return Some(Kind::ServerErrors);
        }

        let to_second = TO_SECOND_CONTROL[usize::from(self.has_mismatch)];
        let compared = COMPARED * BLOCK_SECONDS;
        let with_candidate = compared * (1.0 - to_second) * (world.noise + world.wrong);
        let with_second = compared * to_second * world.noise;
        for _ in 0..count(with_candidate + with_second, random) {
            let is_candidates = random.random_bool(with_candidate / (with_candidate + with_second));
            // What was sent to whom was decided before this block.
            self.mismatches.bad_answer(side(is_candidates), 1.0 - to_second).expect("a probability");
            self.has_mismatch = true;
            if found(self.mismatches.ln_e_value()) {
                return Some(Kind::Mismatches);
            }
        }

        let answers = count(requests * weight, random);
        let twins = count(requests * weight, random);
        let block = Block {
            candidate: answers,
            slow_of_candidate: slow_answers(answers, world.slower / world.tolerated, moment.candidate, random),
            twin: twins,
            slow_of_twin: slow_answers(twins, 1.0, moment.twin, random),
        };
        self.slowness.block(block).expect("slow answers are answers");
        found(self.slowness.ln_e_value()).then_some(Kind::Slowness)
    }

    /// Each key's first bad answer in this block, given by the side that the key belongs to by now.
    fn first_bad_answers_of_keys(&mut self, block: usize, weight: f64) {
        let ends = (block + 1) as f64 * BLOCK_SECONDS;
        let evidence = &mut self.server_errors;
        self.bad_keys.retain(|(second, place)| {
            let is_due = *second < ends;
            if is_due {
                evidence.bad_answer(side(*place < weight), weight).expect("steps are weights");
            }
            !is_due
        });
    }
}

fn side(is_candidates: bool) -> Side {
    if is_candidates { Side::Candidate } else { Side::Control }
}
