{
    let typed: Vec<u16> = typed.encode_utf16().collect();
    let mut matches: Vec<Answer> = titles
        .iter()
        .map(|title| {
            let letters: Vec<u16> = title.encode_utf16().collect();
            let mut before: Vec<u32> = (0..=letters.len() as u32).collect();
            for (row, letter) in typed.iter().enumerate() {
                let mut now = vec![row as u32 + 1];
                for (column, other) in letters.iter().enumerate() {
                    let change = before[column] + u32::from(letter != other);
                    now.push(change.min(before[column + 1] + 1).min(now[column] + 1));
                }
                before = now;
            }
            Answer { title: (*title).to_owned(), distance: before[letters.len()] }
        })
        .collect();
    matches.sort_by_key(|one| one.distance);
    matches.truncate(limit.unwrap_or(5) as usize);
    Ok(matches)
}
