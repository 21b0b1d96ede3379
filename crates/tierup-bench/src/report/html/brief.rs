//! A run without its drawings. In: a record and its analysis. Out: a page of conclusions and tables.

use askama::Template;
use tierup_report::{
    html::{self, Page},
    printable,
};

use super::{
    OWN_RULES, charts,
    run::{GroupView, about, group_view, printed},
};
use crate::{analysis::Analysis, record::Record};

#[derive(Template)]
#[template(path = "brief.html")]
struct Content {
    groups: Vec<GroupView>,
}

pub(super) fn page(record: &Record, analysis: &Analysis) -> Page {
    let looks = charts::looks(analysis);
    let groups = analysis.groups.iter().map(|group| group_view(analysis, &looks, group)).collect();
    let (title, tierup) = (printable::line(&record.provenance.title), printable::line(&record.provenance.tierup));
    Page {
        title: title.clone(),
        generator: format!("tierup {tierup}"),
        class: "",
        own_rules: OWN_RULES,
        own_script: "",
        looks: Vec::new(),
        heading: title,
        about: about(record),
        banners: printed(&analysis.warnings),
        content: html::filled(&Content { groups }),
        data: None,
    }
}
