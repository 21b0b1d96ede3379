//! By hand, a call allocates nothing but its answer: what many calls at once leave in pieces is memory that a server keeps.

use allocation_counter::measure;
use qr::by_hand::generate_qr_code_by_hand;

#[test]
fn a_call_allocates_its_answer_only() {
    let longest = [("7", 7089), ("A", 4296), ("x", 2953), ("0123456789ABCDEFGHIJabcdefghij", 2953), ("é", 1476)];
    for (alphabet, longest) in longest {
        // Every version, and the limits.
        for length in (1..longest).step_by(41).chain([longest]) {
            let text: String = alphabet.chars().cycle().take(length).collect();
            // What is the same for all texts of a version is worked out once.
            let bytes = generate_qr_code_by_hand(&text).unwrap().len();
            let allocated = measure(|| drop(generate_qr_code_by_hand(&text)));
            assert_eq!((allocated.count_total, allocated.bytes_total), (1, bytes as u64), "{length} x {alphabet}");
        }
    }
}

#[test]
fn an_error_allocates_nothing() {
    for text in ["", &"x".repeat(2954)] {
        assert_eq!(measure(|| assert!(generate_qr_code_by_hand(text).is_err())).count_total, 0);
    }
}
