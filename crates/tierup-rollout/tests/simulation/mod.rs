//! Simulated ramps. In: a world in which the truth about the candidate is known. Out: what the shipped judge decides
//! about it when it gets the slots that a proxy would write, and its decisions are carried out.

mod clients;
mod latency;
mod traffic;
pub(crate) mod worlds;

use rand::rngs::StdRng;
use tierup_rollout::{Decision, Golden, Judge, Kind, Part, Plan, Reason, Treatment, Weights, evidence::SLOT};

use traffic::Traffic;
pub(crate) use worlds::World;

const RAMP: &str = "00001939";

/// How a ramp ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) end: End,
    /// In seconds, from the first copy on.
    pub(crate) seconds: u64,
    /// The candidate's weight at the end.
    pub(crate) weight: Part,
    /// How many of the candidate's answers were compared.
    pub(crate) compared: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Only the operator's consent is missing.
    Ready,
    /// The candidate broke down.
    BrokeDown,
    /// The kind of evidence; `None` for a confirmed mismatch.
    RolledBack(Option<Kind>),
    /// The ramp still waited after the longest time.
    Held,
}

/// A plan with all defaults, and one route with effects that can be attributed.
pub(crate) fn plan() -> Plan {
    Plan { routes: [(traffic::EFFECTS.to_owned(), Treatment::Effects)].into(), ..Plan::default() }
}

/// Simulates one ramp, to its end or to `longest` seconds. `meanwhile` gets the judge after each slot.
pub(crate) fn ramp(
    world: &World,
    plan: &Plan,
    longest: u64,
    random: &mut StdRng,
    meanwhile: impl Fn(Judge) -> Judge,
) -> Outcome {
    let mut plan = Plan { has_twin: world.has_twin, has_second: world.has_twin, ..plan.clone() };
    if world.has_safe_posts {
        plan.routes.insert(traffic::SAFE_POST.to_owned(), Treatment::Safe);
    }
    let plan = &plan;
    let mut judge = Judge::new(RAMP, plan.clone()).expect("the plan is right");
    let mut traffic = Traffic::new(world, random);
    let mut generation = 1;
    let (mut second, mut compared) = (0, 0);
    let end = |end, seconds, judge: &Judge, compared| Outcome { end, seconds, weight: judge.at(), compared };
    while second < longest {
        if second % 10 == 0 {
            judge.golden(&Golden { at: second, call: "health".into(), control: Ok(()), candidate: Ok(()) });
        }
        let weights = if plan.has_twin {
            Weights::with_twin(judge.at())
        } else {
            Weights { candidate: judge.at(), twin: Part::NONE }
        };
        let seen = traffic.slot(weights, RAMP, generation, random);
        second += SLOT;
        compared += seen.compared;
        seen.events.iter().for_each(|event| judge.event("proxy", event));
        judge.take(&[seen.slot]);
        judge = meanwhile(judge);
        match judge.decide(second) {
            Decision::Hold { .. } => {}
            Decision::Advance { to, .. } => {
                generation += 1;
                judge.applied(to, generation, second);
            }
            Decision::RollBack {
                because: Reason::BrokeDown { .. } | Reason::NoWholeAnswer { .. } | Reason::FailsForAll { .. },
            } => {
                return end(End::BrokeDown, second, &judge, compared);
            }
            Decision::RollBack { because } => {
                let kind = match because {
                    Reason::Charged(charge) => Some(charge.kind),
                    Reason::Confirmed { .. } => None,
                    other => panic!("{other}"),
                };
                return end(End::RolledBack(kind), second, &judge, compared);
            }
            // A candidate that will break down must get the time to do so.
            Decision::Ready { .. } if world.breaks.is_some() => {}
            Decision::Ready { .. } | Decision::Done => return end(End::Ready, second, &judge, compared),
        }
    }
    end(End::Held, second, &judge, compared)
}
