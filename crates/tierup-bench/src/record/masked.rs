//! A record without secrets: texts that come from requests and answers are masked. The rest are numbers, and the user's own
//! names for rows and files.

use super::{Check, Record, Trouble};

impl Record {
    /// The record, with `mask` applied to every text that a request or an answer may have a part in.
    pub fn masked(&self, mask: &dyn Fn(&str) -> String) -> Record {
        let mut record = self.clone();
        for row in &mut record.rows {
            match &mut row.check {
                Check::Different { first, .. } => *first = mask(first),
                Check::Failed { trouble } => mask_trouble(trouble, mask),
                Check::Same { .. } | Check::Alone => {}
            }
        }
        let rows = record.blocks.iter_mut().flat_map(|block| &mut block.rows);
        rows.filter_map(|row| row.trouble.as_mut()).for_each(|trouble| mask_trouble(trouble, mask));
        record
    }
}

fn mask_trouble(trouble: &mut Trouble, mask: &dyn Fn(&str) -> String) {
    trouble.log.iter_mut().chain([&mut trouble.what]).for_each(|text| *text = mask(text));
}
