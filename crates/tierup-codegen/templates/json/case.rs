//! The cases of enums that carry something: `{"type": "Circle", "value": 1.5}`.

use super::problem::Problem;
use super::read::FromJson;
use super::reader::Reader;

impl<'a> Reader<'a> {
    /// Reads a case: `read` makes it from its name and its payload.
    pub fn case<T>(&mut self, read: impl FnOnce(&str, Carried<'a>) -> Result<T, Problem>) -> Result<T, Problem> {
        let (mut name, mut value) = (None, None);
        self.object(|from, key| match key {
            "type" => from.field("type", &mut name),
            // It may come before the name, so its place is noted, and it is read when the name is known.
            "value" if value.is_none() => {
                value = Some(from.clone());
                from.skip().map_err(|problem| problem.in_field("value"))
            }
            "value" => Err(Problem::new("field \"value\" is given twice")),
            _ => Err(Problem::unknown("field", key, &["type", "value"])),
        })?;
        let name: String = super::read::given("type", name)?;
        read(&name, Carried(value))
    }

    /// Reads a list of a fixed length, whose items may differ in type.
    fn items<T>(&mut self, read: impl FnOnce(&mut Items<'_, 'a>) -> Result<T, Problem>) -> Result<T, Problem> {
        self.open_list()?;
        let mut items = Items { from: self, index: 0 };
        let value = read(&mut items)?;
        let count = items.index;
        match self.next_item(count)? {
            false => Ok(value),
            true => Err(Problem::new(format!("expected only {count} values"))),
        }
    }
}

/// The payload of a case.
pub struct Carried<'a>(Option<Reader<'a>>);

impl<'a> Carried<'a> {
    /// No payload.
    pub fn nothing(self) -> Result<(), Problem> {
        self.0.map_or(Ok(()), |_| Err(Problem::new("this case has no \"value\"")))
    }

    /// One value.
    pub fn value<T: FromJson>(self) -> Result<T, Problem> {
        match (&self.0, T::absent()) {
            (None, Some(absent)) => Ok(absent),
            _ => self.read(T::from_json),
        }
    }

    /// Several values.
    pub fn items<T>(self, read: impl FnOnce(&mut Items<'_, 'a>) -> Result<T, Problem>) -> Result<T, Problem> {
        self.read(|from| from.items(read))
    }

    /// The value that `read` makes of the payload.
    pub fn read<T>(self, read: impl FnOnce(&mut Reader<'a>) -> Result<T, Problem>) -> Result<T, Problem> {
        let mut from = self.0.ok_or_else(|| Problem::new("field \"value\" is missing"))?;
        read(&mut from).map_err(|problem| problem.in_field("value"))
    }
}

/// A list that is being read item by item.
pub struct Items<'r, 'a> {
    from: &'r mut Reader<'a>,
    index: usize,
}

impl Items<'_, '_> {
    pub fn item<T: FromJson>(&mut self) -> Result<T, Problem> {
        let index = self.index;
        if !self.from.next_item(index)? {
            return Err(Problem::new(format!("there are only {index} values")));
        }
        self.index += 1;
        T::from_json(self.from).map_err(|problem| problem.in_item(index))
    }
}
