use super::*;

#[test]
fn mismatches_at_other_positions_are_of_one_kind() {
    let line = |line| kind(&Place::Line(line));
    assert_eq!(line(12), line(3));
    assert_eq!(line(3), "line *");
    assert_ne!(kind(&Place::Header("location".into())), kind(&Place::Header("vary".into())));
}
