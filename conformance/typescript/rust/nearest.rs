{
    let mut near: Vec<(f64, &str)> = shops
        .iter()
        .map(|shop| {
            let north = shop.at.latitude - at.latitude;
            let east = (shop.at.longitude - at.longitude) * 0.66;
            let distance = (north * north + east * east).sqrt();
            (if distance.is_nan() { f64::INFINITY } else { distance }, shop.name.as_str())
        })
        .collect();
    near.sort_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(std::cmp::Ordering::Equal));
    Ok(near.into_iter().take(most as usize).map(|(_, name)| name.to_owned()).collect())
}
