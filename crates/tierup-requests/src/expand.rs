//! Makes as many distinct requests as the caller asks for from templates.

use std::collections::HashMap;

use tierup_diagnostic::Diagnostic;

use crate::block::Template;
use crate::random::Random;
use crate::render::Renderer;
use crate::{Context, Request, Set, Templates};

/// A million requests of one KiB each take a GiB.
const MOST_REQUESTS: usize = 1_000_000;

/// The bytes that a set's requests may take together. A small file can ask for much more: by long random texts,
/// variables, or the same included file many times.
const MOST_BYTES: usize = 1 << 30;

/// After this many repeated requests in a row, a template is assumed to have no further ones.
const MOST_REPETITIONS: u64 = 200;

impl Templates {
    /// Makes `count` distinct requests (at most a million), and the order in which to send them.
    ///
    /// Each template without random variables makes one request. The others share the rest of `count` evenly. Each
    /// makes at least one, and fewer than its share if it has no more: `{{$randomInt 0 10}}` makes ten. Every template
    /// is equally frequent in the order. The same text, `count`, `seed` and `context` make the same set everywhere.
    ///
    /// # Errors
    /// Variables without a value, files that cannot be read, invalid URLs and headers.
    pub fn expand(&self, count: usize, seed: u64, context: &Context) -> Result<Set, Vec<Diagnostic>> {
        expand(self, count, seed, context, MOST_BYTES)
    }
}

fn expand(
    templates: &Templates,
    count: usize,
    seed: u64,
    context: &Context,
    most_bytes: usize,
) -> Result<Set, Vec<Diagnostic>> {
    let count = count.min(MOST_REQUESTS);
    let mut renderer = Renderer::new(templates, context, most_bytes);
    let mut firsts = Vec::new();
    for (index, template) in templates.templates.iter().enumerate() {
        let first = renderer.render(template, Random::for_path(seed, &[index as u64, 0]));
        let is_enough = renderer.keeps(&first.0, template);
        firsts.push(first);
        if renderer.problems.are_full() || !is_enough {
            break;
        }
    }
    renderer.problems.check()?;

    let varying = firsts.iter().filter(|(_, varies)| *varies).count();
    let rest = count.saturating_sub(firsts.len() - varying);
    let mut distinct = Distinct::default();
    let mut shares = Vec::new();
    let mut varying_before = 0;
    for (index, (first, varies)) in firsts.into_iter().enumerate() {
        let mut share = vec![distinct.insert(first).0];
        if varies {
            // The first templates get one more each until the remainder is used up.
            let wanted = rest / varying + usize::from(varying_before < rest % varying);
            varying_before += 1;
            let template = &templates.templates[index];
            fill(&mut share, wanted, template, &mut distinct, &mut renderer, |variation| {
                Random::for_path(seed, &[index as u64, variation])
            });
            renderer.problems.check()?;
        }
        shares.push(share);
    }
    Ok(Set::new(distinct.requests, shares, count, seed))
}

/// Makes requests from one template until there are `wanted` ones, or until only repeated ones come.
fn fill(
    share: &mut Vec<u32>,
    wanted: usize,
    template: &Template,
    distinct: &mut Distinct,
    renderer: &mut Renderer,
    random: impl Fn(u64) -> Random,
) {
    let mut repetitions = 0;
    let mut variation = 1;
    while share.len() < wanted && repetitions < MOST_REPETITIONS && renderer.problems.count() == 0 {
        let (request, _) = renderer.render(template, random(variation));
        let (index, is_new) = distinct.insert(request);
        if is_new {
            renderer.keeps(&distinct.requests[index as usize], template);
            share.push(index);
            repetitions = 0;
        } else {
            repetitions += 1;
        }
        variation += 1;
    }
}

/// Requests, each once.
#[derive(Default)]
pub(crate) struct Distinct {
    pub(crate) requests: Vec<Request>,
    indices: HashMap<Content, u32>,
}

/// The parts of a request that reach the server.
#[derive(PartialEq, Eq, Hash)]
struct Content {
    method: String,
    target: String,
    host: Option<String>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Distinct {
    /// The request's index, and whether it is new.
    pub(crate) fn insert(&mut self, request: Request) -> (u32, bool) {
        let content = Content {
            method: request.method.clone(),
            target: request.target.clone(),
            host: request.host.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
        };
        let next = self.requests.len() as u32;
        let index = *self.indices.entry(content).or_insert(next);
        if index == next {
            self.requests.push(request);
        }
        (index, index == next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moment;

    #[test]
    fn a_set_is_limited_in_bytes() {
        let context = Context::new(Moment { unix_milliseconds: 0, utc_offset_minutes: 0 });
        let ends = |text: &str| {
            let templates = Templates::parse("a.http", text).expect("it can be read");
            expand(&templates, 2000, 1, &context, 1 << 20).expect_err("it is too much")[0].message.clone()
        };
        let letters = "POST /\n\n{{$random.alphabetic(1000)}}";
        let variables = format!("@a = {}\n{}", "x".repeat(1000), "POST /\n\n{{a}}\n\n###\n".repeat(1100));
        for text in [letters, &variables] {
            assert_eq!(ends(text), "the requests of this file take more than 1 MiB together");
        }
    }
}
