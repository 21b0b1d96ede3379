//! Evidence that is stored to the last bit. A decimal in JSON may be read back with another last bit, and a restored
//! ramp must decide exactly as the stored one.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The state of bets, serialised as the bits of its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Exact<const N: usize>(pub(super) [f64; N]);

impl<const N: usize> Default for Exact<N> {
    fn default() -> Self {
        Exact([0.0; N])
    }
}

impl<const N: usize> Serialize for Exact<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.map(f64::to_bits).to_vec().serialize(serializer)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Exact<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers: Vec<f64> = Vec::<u64>::deserialize(deserializer)?.into_iter().map(f64::from_bits).collect();
        let numbers: [f64; N] = numbers.try_into().map_err(|_| D::Error::custom("another number of bets"))?;
        if numbers.iter().all(|number| number.is_finite()) {
            Ok(Exact(numbers))
        } else {
            Err(D::Error::custom("evidence that is not finite"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_to_the_last_bit_and_wrong_ones_are_refused() {
        let numbers = Exact([0.1 + 0.2, -1e-300, std::f64::consts::PI]);
        let text = serde_json::to_string(&numbers).unwrap();
        assert_eq!(serde_json::from_str::<Exact<3>>(&text).unwrap(), numbers);
        assert!(serde_json::from_str::<Exact<2>>(&text).is_err());
        assert!(serde_json::from_str::<Exact<1>>(&format!("[{}]", f64::NAN.to_bits())).is_err());
    }
}
