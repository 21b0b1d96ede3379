//! The golden call of `[health]`, as values.

use crate::abi::Value;
use crate::{Health, Project};

/// The golden call's arguments; `None` where the project has no golden call.
///
/// # Errors
/// Where the bytes are not the function's arguments.
pub(super) fn arguments(project: &Project) -> Result<Option<(&Health, Vec<Value>)>, String> {
    let Some(health) = &project.health else { return Ok(None) };
    let function = &project.interface.functions[health.function];
    let mut rest = health.arguments.as_slice();
    let values: Result<Vec<_>, _> = function
        .parameters
        .iter()
        .map(|parameter| Value::decode_prefix(&parameter.ty, &project.interface, &mut rest))
        .collect();
    let values = values.map_err(|error| format!("the golden call's arguments cannot be read: {error}"))?;
    match rest {
        [] => Ok(Some((health, values))),
        rest => Err(format!("{} bytes follow the golden call's arguments", rest.len())),
    }
}
