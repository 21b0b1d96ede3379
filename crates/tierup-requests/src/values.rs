//! The values of dynamic variables.

use crate::{
    context::{Context, find},
    dynamic::{Dynamic, Key},
    random::Random,
};

/// The letters of the first part of `$random.email`.
const LOWER_CASE: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

/// A value, or the reason why it is missing and a hint.
pub(crate) type Value = Result<String, (String, String)>;

/// The value of a dynamic variable. `random` supplies random values, `context` everything else.
pub(crate) fn value(dynamic: &Dynamic, context: &Context, random: &mut Random) -> Value {
    Ok(match dynamic {
        Dynamic::Uuid => uuid(random),
        Dynamic::Integer { from, to } => {
            let span = to.wrapping_sub(*from) as u64;
            from.wrapping_add(random.below(span) as i64).to_string()
        }
        Dynamic::Float { from, to } => {
            let number = from + random.fraction() * (to - from);
            // Rounding may reach `to`, which is excluded.
            if number < *to { number } else { *from }.to_string()
        }
        Dynamic::Letters { alphabet, length } => letters(alphabet, *length, random),
        // A domain reserved for examples (RFC 2606, section 3).
        Dynamic::Email => format!("{}@example.com", letters(LOWER_CASE, 12, random)),
        Dynamic::Timestamp(shift) => shift.apply(context.now).ok_or_else(beyond_calendar)?.div_euclid(1000).to_string(),
        Dynamic::Datetime { format, zone, shift } => {
            format.show(shift.apply(context.now).ok_or_else(beyond_calendar)?, *zone, context.now)
        }
        Dynamic::Environment(key) => {
            look_up(key, context, context.environment, "the environment", "set it before you start tierup")?
        }
        Dynamic::Dotenv(key) => {
            look_up(key, context, context.dotenv, "`.env`", "write it into the `.env` file beside the requests file")?
        }
    })
}

/// Version 4, variant 1 (RFC 9562, section 5.4).
fn uuid(random: &mut Random) -> String {
    let bits = (u128::from(random.next()) << 64) | u128::from(random.next());
    let bits = bits & !(0xf << 76) | (0x4 << 76);
    let bits = bits & !(0b11 << 62) | (0b10 << 62);
    let digits = format!("{bits:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

fn letters(alphabet: &[u8], length: usize, random: &mut Random) -> String {
    (0..length).map(|_| char::from(alphabet[random.below(alphabet.len() as u64) as usize])).collect()
}

fn beyond_calendar() -> (String, String) {
    ("that time is outside the years 0 to 9999".to_owned(), "write a smaller offset".to_owned())
}

fn look_up(key: &Key, context: &Context, values: &[(String, String)], place: &str, hint: &str) -> Value {
    let name = if key.indirect {
        find(context.variables, &key.name).ok_or_else(|| {
            let message = format!("the variable `{}`, whose value is used as the name, has no value", key.name);
            (message, format!("give `{}` a value, or leave out the `%`", key.name))
        })?
    } else {
        &key.name
    };
    let name = &name.to_owned();
    match find(values, name) {
        Some(value) => Ok(value.to_owned()),
        None if context.not_text.contains(name) => {
            Err((format!("the value of `{name}` is not UTF-8"), "give it a value that is text".to_owned()))
        }
        None => Err((format!("`{name}` is not in {place}"), hint.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moment;
    use crate::dynamic;
    use expect_test::{Expect, expect};

    fn check(expressions: &[&str], expect: Expect) {
        let environment = [("HOME".to_owned(), "/home/ferris".to_owned())];
        let variables = [("which".to_owned(), "HOME".to_owned())];
        let now = Moment { unix_milliseconds: 1_795_251_845_678, utc_offset_minutes: 60 };
        let context = Context { environment: &environment, variables: &variables, ..Context::new(now) };
        let lines: Vec<String> = expressions
            .iter()
            .map(|expression| {
                let answer = match dynamic::parse(expression) {
                    Ok(dynamic) => match value(&dynamic, &context, &mut Random::new(1)) {
                        Ok(value) => value,
                        Err((message, hint)) => format!("error: {message}; hint: {hint}"),
                    },
                    Err(wrong) => format!("error: {}; hint: {}", wrong.message, wrong.hint.unwrap_or_default()),
                };
                format!("{expression} = {answer}")
            })
            .collect();
        expect.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn random_variables_follow_the_seed() {
        check(
            &[
                "$guid",
                "$uuid",
                "$randomInt 5 200",
                "$randomInt",
                "$randomInt -9223372036854775808 9223372036854775807",
                "$random.integer(100, 500)",
                "$random.integer",
                "$random.float(0.5, 2)",
                "$random.alphabetic(8)",
                "$random.alphanumeric(8)",
                "$random.hexadecimal(8)",
                "$random.email",
            ],
            expect![[r#"
                $guid = 910a2dec-8902-4cc1-beeb-8da1658eec67
                $uuid = 910a2dec-8902-4cc1-beeb-8da1658eec67
                $randomInt 5 200 = 115
                $randomInt = 566
                $randomInt -9223372036854775808 9223372036854775807 = 1227844342346046656
                $random.integer(100, 500) = 326
                $random.integer = 566
                $random.float(0.5, 2) = 1.3498423627584213
                $random.alphabetic(8) = dmyXXntb
                $random.alphanumeric(8) = ju9bbw3g
                $random.hexadecimal(8) = 9bf77ce8
                $random.email = otzlltwnhukp@example.com"#]],
        );
    }

    #[test]
    fn times_and_environment_variables_come_from_the_context() {
        check(
            &[
                "$timestamp",
                "$timestamp -1 d",
                "$isoTimestamp",
                "$datetime rfc1123",
                "$datetime iso8601 1 y",
                "$localDatetime \"YYYY-MM-DD HH:mm\" -2 h",
                "$processEnv HOME",
                "$processEnv %which",
                "$env.HOME",
            ],
            expect![[r#"
                $timestamp = 1795251845
                $timestamp -1 d = 1795165445
                $isoTimestamp = 2026-11-21T09:04:05.678Z
                $datetime rfc1123 = Sat, 21 Nov 2026 09:04:05 GMT
                $datetime iso8601 1 y = 2027-11-21T09:04:05.678Z
                $localDatetime "YYYY-MM-DD HH:mm" -2 h = 2026-11-21 08:04
                $processEnv HOME = /home/ferris
                $processEnv %which = /home/ferris
                $env.HOME = /home/ferris"#]],
        );
    }

    #[test]
    fn invalid_variables_are_refused_with_a_hint() {
        check(
            &[
                "$guid 4", "$randomInt 5", "$randomInt 5 five", "$randomInt 5 5", "$random.float(2, 1)",
                "$random.alphabetic", "$random.alphabetic(0)", "$timestamp 3", "$timestamp 3 fortnights",
                "$timestamp 9223372036854775807 ms", "$datetime", "$datetime rfc", "$datetime 'gggg'", "$processEnv",
                "$processEnv MISSING", "$dotenv MISSING", "$aadToken", "$random.beer", "$isotimestamp",
            ],
            expect![[r#"
                $guid 4 = error: `$guid` takes no arguments; hint: write it like `{{$guid}}`
                $randomInt 5 = error: `5` is not a range of two whole numbers; hint: write it like `{{$randomInt 1 100}}`
                $randomInt 5 five = error: `5 five` is not a range of two whole numbers; hint: write it like `{{$randomInt 1 100}}`
                $randomInt 5 5 = error: there is no whole number in the range `5 5`; hint: write it like `{{$randomInt 1 100}}`
                $random.float(2, 1) = error: there is no number in the range `(2, 1)`; hint: write it like `{{$random.float(0.5, 2)}}`
                $random.alphabetic = error: `$random.alphabetic` needs a length from 1 to 1000000; hint: write it like `{{$random.alphabetic(8)}}`
                $random.alphabetic(0) = error: `$random.alphabetic` needs a length from 1 to 1000000; hint: write it like `{{$random.alphabetic(8)}}`
                $timestamp 3 = error: `3` is not an offset: a whole number and one of y, Q, M, w, d, h, m, s, ms; hint: write it like `{{$timestamp -1 d}}`
                $timestamp 3 fortnights = error: `3 fortnights` is not an offset: a whole number and one of y, Q, M, w, d, h, m, s, ms; hint: write it like `{{$timestamp -1 d}}`
                $timestamp 9223372036854775807 ms = error: that time is outside the years 0 to 9999; hint: write a smaller offset
                $datetime = error: `$datetime` needs a format: rfc1123, iso8601 or one in quotes; hint: write it like `{{$datetime iso8601}}`
                $datetime rfc = error: `rfc` is not a format: rfc1123, iso8601 or one in quotes; hint: write it like `{{$datetime iso8601}}`
                $datetime 'gggg' = error: `g` is not supported in date formats; hint: write it like `{{$datetime 'YYYY-MM-DD'}}`
                $processEnv = error: `` is not the name of a variable of the environment; hint: write it like `{{$processEnv NAME}}`
                $processEnv MISSING = error: `MISSING` is not in the environment; hint: set it before you start tierup
                $dotenv MISSING = error: `MISSING` is not in `.env`; hint: write it into the `.env` file beside the requests file
                $aadToken = error: there is no variable `$aadToken`; hint: tierup does not sign in to services; write a variable, `{{token}}`, and give it a value
                $random.beer = error: there is no variable `$random.beer`; hint: there are $guid, $randomInt, $timestamp, $datetime, $localDatetime, $processEnv, $dotenv, $uuid, $isoTimestamp, $random.uuid, $random.integer, $random.float, $random.alphabetic, $random.alphanumeric, $random.hexadecimal, $random.email, $env.NAME
                $isotimestamp = error: there is no variable `$isotimestamp`; hint: did you mean `$isoTimestamp`?"#]],
        );
    }
}
