//! Any value that can cross, and its encoding, for code that learns types only at run time:
//! golden requests, generated test inputs, the driver's answers.

use std::collections::BTreeMap;

use tierup_model::{DefinitionKind, Integer, Interface, Type};

/// A value of some [`Type`]. Floats compare by their bits, as the encoding does.
#[derive(Debug, Clone)]
pub enum Value {
    Bool(bool),
    /// Any whole number; its type decides the width.
    Integer(i128),
    F32(f32),
    F64(f64),
    Text(String),
    Bytes(Vec<u8>),
    Optional(Option<Box<Value>>),
    List(Vec<Value>),
    /// Sorted by the keys' bytes, as the encoding asks.
    Map(BTreeMap<String, Value>),
    /// Fields in order.
    Record(Vec<Value>),
    /// The case's number and its fields in order.
    Enum(u8, Vec<Value>),
}

/// The value does not have the type that it should be encoded as.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value} is not a value of the type {expected:?}")]
pub struct EncodeError {
    value: String,
    expected: Type,
}

/// The bytes are not an encoding of the type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the bytes end {missing} bytes too early")]
    Short { missing: usize },
    #[error("{0} bytes follow the value")]
    Trailing(usize),
    #[error("{byte} is not a valid {what}")]
    Tag { what: &'static str, byte: u8 },
    #[error("text is not UTF-8")]
    Text,
    #[error("a map's keys are not sorted, or one is there twice")]
    Keys,
    #[error("a list of {0} records without fields")]
    Nothing(u32),
}

/// The most items in a list of empty records. They take no bytes, so a count of four bytes could promise billions.
const MOST_OF_NOTHING: usize = 10_000;

impl Value {
    /// Appends the encoding of this value as a `ty`.
    ///
    /// # Errors
    /// If the value is not of that type, or a number does not fit. `bytes` may then hold a part of the encoding.
    pub fn encode(&self, ty: &Type, interface: &Interface, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let wrong = || EncodeError { value: format!("{self:?}"), expected: ty.clone() };
        match (self, ty) {
            (Value::Bool(value), Type::Bool) => bytes.push(u8::from(*value)),
            (Value::Integer(value), Type::Integer(integer)) => {
                if !range(*integer).contains(value) {
                    return Err(wrong());
                }
                bytes.extend_from_slice(&value.to_le_bytes()[..integer.bits() as usize / 8]);
            }
            (Value::F32(value), Type::F32) => bytes.extend_from_slice(&value.to_bits().to_le_bytes()),
            (Value::F64(value), Type::F64) => bytes.extend_from_slice(&value.to_bits().to_le_bytes()),
            (Value::Text(value), Type::Text) => put_bytes(value.as_bytes(), bytes),
            (Value::Bytes(value), Type::Bytes) => put_bytes(value, bytes),
            (Value::Optional(None), Type::Optional(_)) => bytes.push(0),
            (Value::Optional(Some(value)), Type::Optional(inner)) => {
                bytes.push(1);
                value.encode(inner, interface, bytes)?;
            }
            (Value::List(values), Type::List(inner)) => {
                put_count(values.len(), bytes);
                values.iter().try_for_each(|value| value.encode(inner, interface, bytes))?;
            }
            (Value::Map(values), Type::Map(inner)) => {
                put_count(values.len(), bytes);
                for (key, value) in values {
                    put_bytes(key.as_bytes(), bytes);
                    value.encode(inner, interface, bytes)?;
                }
            }
            (Value::Record(values), Type::Defined(index)) => match &interface.definitions[*index].kind {
                DefinitionKind::Record(fields) if fields.len() == values.len() => {
                    encode_all(values, fields.iter().map(|field| &field.ty), interface, bytes)?;
                }
                _ => return Err(wrong()),
            },
            (Value::Enum(number, values), Type::Defined(index)) => {
                let types = case_types(interface, *index, *number).ok_or_else(wrong)?;
                if types.len() != values.len() {
                    return Err(wrong());
                }
                bytes.push(*number);
                encode_all(values, types.into_iter(), interface, bytes)?;
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// Reads a `ty` that takes up all of `bytes`.
    ///
    /// # Errors
    /// If the bytes are not exactly one such value.
    pub fn decode(ty: &Type, interface: &Interface, bytes: &[u8]) -> Result<Value, DecodeError> {
        let mut rest = bytes;
        let value = Self::decode_prefix(ty, interface, &mut rest)?;
        if rest.is_empty() { Ok(value) } else { Err(DecodeError::Trailing(rest.len())) }
    }

    /// Reads a `ty` off the front of `rest`.
    ///
    /// # Errors
    /// If `rest` does not start with such a value.
    pub fn decode_prefix(ty: &Type, interface: &Interface, rest: &mut &[u8]) -> Result<Value, DecodeError> {
        Ok(match ty {
            Type::Bool => match take(rest, 1)?[0] {
                byte @ (0 | 1) => Value::Bool(byte == 1),
                byte => return Err(DecodeError::Tag { what: "bool", byte }),
            },
            Type::Integer(integer) => {
                let width = integer.bits() as usize / 8;
                let taken = take(rest, width)?;
                let negative = integer.is_signed() && taken[width - 1] & 0x80 != 0;
                let mut wide = [if negative { 0xff } else { 0 }; 16];
                wide[..width].copy_from_slice(taken);
                Value::Integer(i128::from_le_bytes(wide))
            }
            Type::F32 => Value::F32(f32::from_bits(take_u32(rest)?)),
            Type::F64 => {
                let (low, high) = (take_u32(rest)?, take_u32(rest)?);
                Value::F64(f64::from_bits(u64::from(high) << 32 | u64::from(low)))
            }
            Type::Text => Value::Text(take_text(rest)?),
            Type::Bytes => {
                let length = take_u32(rest)? as usize;
                Value::Bytes(take(rest, length)?.to_vec())
            }
            Type::Optional(inner) => Value::Optional(match take(rest, 1)?[0] {
                0 => None,
                1 => Some(Box::new(Self::decode_prefix(inner, interface, rest)?)),
                byte => return Err(DecodeError::Tag { what: "option", byte }),
            }),
            Type::List(inner) => {
                let count = take_u32(rest)?;
                let before = rest.len();
                let mut items = Vec::new();
                while items.len() < count as usize {
                    if items.len() == MOST_OF_NOTHING && rest.len() == before {
                        return Err(DecodeError::Nothing(count));
                    }
                    items.push(Self::decode_prefix(inner, interface, rest)?);
                }
                Value::List(items)
            }
            Type::Map(inner) => {
                let mut map = BTreeMap::new();
                for _ in 0..take_u32(rest)? {
                    let key = take_text(rest)?;
                    if map.last_key_value().is_some_and(|(last, _)| *last >= key) {
                        return Err(DecodeError::Keys);
                    }
                    let value = Self::decode_prefix(inner, interface, rest)?;
                    map.insert(key, value);
                }
                Value::Map(map)
            }
            Type::Defined(index) => match &interface.definitions[*index].kind {
                DefinitionKind::Record(fields) => {
                    Value::Record(decode_all(fields.iter().map(|field| &field.ty), interface, rest)?)
                }
                DefinitionKind::Enum(_) => {
                    let byte = take(rest, 1)?[0];
                    let types = case_types(interface, *index, byte).ok_or(DecodeError::Tag { what: "case", byte })?;
                    Value::Enum(byte, decode_all(types.into_iter(), interface, rest)?)
                }
            },
        })
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::F32(a), Value::F32(b)) => a.to_bits() == b.to_bits(),
            (Value::F64(a), Value::F64(b)) => a.to_bits() == b.to_bits(),
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Optional(a), Value::Optional(b)) => a == b,
            (Value::List(a), Value::List(b)) | (Value::Record(a), Value::Record(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a == b,
            (Value::Enum(a, x), Value::Enum(b, y)) => a == b && x == y,
            _ => false,
        }
    }
}

impl Eq for Value {}

/// The whole numbers that an integer type holds.
fn range(integer: Integer) -> std::ops::RangeInclusive<i128> {
    let bits = integer.bits();
    if integer.is_signed() { -(1 << (bits - 1))..=(1 << (bits - 1)) - 1 } else { 0..=(1 << bits) - 1 }
}

fn case_types(interface: &Interface, definition: usize, number: u8) -> Option<Vec<&Type>> {
    let DefinitionKind::Enum(cases) = &interface.definitions[definition].kind else { return None };
    Some(cases.get(usize::from(number))?.payload.types())
}

fn encode_all<'a>(
    values: &[Value],
    types: impl Iterator<Item = &'a Type>,
    interface: &Interface,
    bytes: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    values.iter().zip(types).try_for_each(|(value, ty)| value.encode(ty, interface, bytes))
}

fn decode_all<'a>(
    mut types: impl Iterator<Item = &'a Type>,
    interface: &Interface,
    rest: &mut &[u8],
) -> Result<Vec<Value>, DecodeError> {
    types.try_fold(Vec::new(), |mut values, ty| {
        values.push(Value::decode_prefix(ty, interface, rest)?);
        Ok(values)
    })
}

/// Lengths are 32 bits on the wire; no value here is large enough to exceed that.
fn put_count(count: usize, bytes: &mut Vec<u8>) {
    let count = u32::try_from(count).expect("a golden value has fewer than 2^32 items");
    bytes.extend_from_slice(&count.to_le_bytes());
}

fn put_bytes(content: &[u8], bytes: &mut Vec<u8>) {
    put_count(content.len(), bytes);
    bytes.extend_from_slice(content);
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], DecodeError> {
    let (taken, left) =
        rest.split_at_checked(count).ok_or_else(|| DecodeError::Short { missing: count - rest.len() })?;
    *rest = left;
    Ok(taken)
}

fn take_u32(rest: &mut &[u8]) -> Result<u32, DecodeError> {
    let taken = take(rest, 4)?;
    Ok(u32::from_le_bytes([taken[0], taken[1], taken[2], taken[3]]))
}

fn take_text(rest: &mut &[u8]) -> Result<String, DecodeError> {
    let length = take_u32(rest)? as usize;
    String::from_utf8(take(rest, length)?.to_vec()).map_err(|_| DecodeError::Text)
}
