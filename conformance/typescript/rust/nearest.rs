{
    let radians = |degrees: f64| degrees * std::f64::consts::PI / 180.0;
    let half_of = |degrees: f64| degrees * std::f64::consts::PI / 360.0;
    let mut near: Vec<(f64, &str)> = shops
        .iter()
        .map(|shop| {
            let north = radians(at.latitude).cos() * radians(shop.at.latitude).cos();
            let latitude = half_of(shop.at.latitude - at.latitude).sin().powi(2);
            let longitude = half_of(shop.at.longitude - at.longitude).sin().powi(2);
            ((latitude + north * longitude).sqrt().asin(), shop.name.as_str())
        })
        .collect();
    near.sort_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(std::cmp::Ordering::Equal));
    Ok(near.into_iter().take(most as usize).map(|(_, name)| name.to_owned()).collect())
}
