//! Several pages as one, a chapter each, in the order of the work. In: pages, stored as data when their commands ran.
//! Out: one page, with a list of the steps that are done and of those that are open.

use askama::Template;
use serde::{Deserialize, Serialize};

use super::{
    filled,
    page::{About, Data, Frame, Page},
};

const RULES: &str = include_str!("../../templates/chapters.css");

/// A page within a page. It is self-contained, so that a later version of the program can show it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Chapter {
    heading: String,
    about: Vec<About>,
    banners: Vec<String>,
    content: String,
    rules: String,
    script: String,
    series: Vec<String>,
    data: Option<Data>,
}

impl From<Page> for Chapter {
    fn from(page: Page) -> Chapter {
        Chapter {
            heading: page.heading,
            about: page.about,
            banners: page.banners,
            content: page.content,
            rules: page.own_rules.to_owned(),
            script: page.own_script.to_owned(),
            series: page.looks.into_iter().map(|look| look.class).collect(),
            data: page.data,
        }
    }
}

/// A step of the work.
#[derive(Debug, Clone)]
pub struct Step {
    /// One word in lower case, unique in the page.
    pub id: &'static str,
    pub title: &'static str,
    pub outcome: Outcome,
}

/// The state of a step.
#[derive(Debug, Clone)]
pub enum Outcome {
    Done(Chapter),
    /// Not done yet; the command to run.
    Open(String),
}

/// The page of a whole project.
#[derive(Debug, Clone)]
pub struct Chapters {
    pub heading: String,
    /// The program that made the page.
    pub generator: String,
    /// The conclusions, above everything else.
    pub conclusions: Vec<String>,
    pub steps: Vec<Step>,
}

#[derive(Template)]
#[template(path = "chapters.html")]
struct Content<'a> {
    conclusions: &'a [String],
    steps: &'a [Step],
}

impl Chapters {
    /// The whole page.
    pub fn render(&self) -> String {
        let chapters = self.steps.iter().filter_map(|step| match &step.outcome {
            Outcome::Done(chapter) => Some(chapter),
            Outcome::Open(_) => None,
        });
        let chapters: Vec<&Chapter> = chapters.collect();
        Frame {
            title: &self.heading,
            generator: &self.generator,
            class: "",
            rules: without_repetition(chapters.iter().map(|chapter| chapter.rules.as_str())).concat() + RULES,
            heading: &self.heading,
            about: &[],
            banners: &[],
            content: &filled(&Content { conclusions: &self.conclusions, steps: &self.steps }),
            series: chapters.iter().flat_map(|chapter| &chapter.series).map(String::as_str).collect(),
            data: chapters.iter().filter_map(|chapter| chapter.data.as_ref()).collect(),
            scripts: without_repetition(chapters.iter().map(|chapter| chapter.script.as_str())),
        }
        .render()
    }
}

/// The non-empty texts, without duplicates.
fn without_repetition<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut kept = Vec::new();
    for text in texts {
        if !text.is_empty() && !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_keep_their_content_and_open_steps_name_their_command() {
        let page = |heading: &str| Page {
            title: String::new(),
            generator: String::new(),
            class: "",
            own_rules: ".own { color: red; }\n",
            own_script: "let own = 1;\n",
            looks: Vec::new(),
            heading: heading.to_owned(),
            about: vec![About::Parts(vec!["yesterday".to_owned()])],
            banners: vec!["<doubt>".to_owned()],
            content: format!("<p>{}</p>", heading.len()),
            data: Some(Data { id: format!("data-{}", heading.len()), json: "1".to_owned() }),
        };
        let kept = |heading| {
            let text = serde_json::to_string(&Chapter::from(page(heading))).unwrap();
            Outcome::Done(serde_json::from_str(&text).unwrap())
        };
        let chapters = Chapters {
            heading: "shop".to_owned(),
            generator: "tierup".to_owned(),
            conclusions: vec!["<b>".to_owned()],
            steps: vec![
                Step { id: "profile", title: "Profile", outcome: kept("</h2><script>") },
                Step { id: "check", title: "Check", outcome: Outcome::Open("tierup check '<i>'".to_owned()) },
                Step { id: "bench", title: "Benchmark", outcome: kept("ok") },
            ],
        };
        let html = chapters.render();
        assert_eq!(html.matches("let own = 1;").count(), 1, "{html}");
        assert_eq!(html.matches(".own { color: red; }").count(), 1);
        assert!(html.contains("<p>13</p>") && html.contains("id=\"data-13\">1<") && html.contains("id=\"data-2\">1<"));
        assert!(!html.contains("</h2><script>") && !html.contains("<doubt>") && !html.contains("<b>"));
        assert!(html.contains("href=\"#bench\"") && !html.contains("href=\"#check\""));
        assert!(html.contains("tierup check &#39;&#60;i&#62;&#39;"), "{html}");
    }
}
