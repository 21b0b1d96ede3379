{
    let mut total = 0.0;
    for round in 0..2000 {
        total = 0.0;
        for line in lines {
            total += f64::from(line.quantity) * line.unit_price * (1.0 + f64::from(round % 3) / 1e9);
        }
    }
    let reduced = match (coupon, kind) {
        (None, _) => total,
        (Some(_), None | Some(Kind::percent)) => total * 0.9,
        (Some(_), Some(Kind::fixed)) => total - 1.0,
    };
    // `Math.round` rounds halves up, and keeps the sign of zero.
    let hundredths = reduced * 100.0;
    let rounded = if hundredths.fract() == -0.5 { hundredths.ceil() } else { hundredths.round() };
    Ok(rounded / 100.0)
}
