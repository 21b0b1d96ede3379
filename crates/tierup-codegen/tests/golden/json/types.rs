//! How each of your records and enums looks in JSON.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#![allow(deprecated, unused_imports, unused_variables, non_snake_case, clippy::all)]
use super::problem::Problem;
use super::read::{FromJson, given};
use super::reader::Reader;
use super::write::{
    ToJson, Writer, write_bare_case, write_case, write_record, write_values,
};

impl FromJson for ::sample::Color {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        match &*from.string("the name of a Color")? {
            "Red" => Ok(Self::Red),
            "DarkBlue" => Ok(Self::DarkBlue),
            other => Err(Problem::unknown("case", other, &["Red", "DarkBlue"])),
        }
    }
}

impl ToJson for ::sample::Color {
    fn write(&self, to: &mut Writer) {
        let name = match self {
            Self::Red => "Red",
            Self::DarkBlue => "DarkBlue",
        };
        name.write(to);
    }
}

impl FromJson for ::sample::Shape {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        from.case(|name, carried| match name {
            "Point" => carried.nothing().map(|()| Self::Point),
            "Circle" => carried.value().map(Self::Circle),
            "Line" => carried.items(|items| Ok(Self::Line(items.item()?, items.item()?))),
            "Box" => {
                carried
                    .read(|from| {
                        let key_line_width = from.key("line_width", "lineWidth");
                        let mut field_width = None;
                        let mut field_type = None;
                        let mut field_line_width = None;
                        from.object(|from, key| match key {
                            "width" => from.field("width", &mut field_width),
                            "type" => from.field("type", &mut field_type),
                            _ if key == key_line_width => {
                                from.field(key_line_width, &mut field_line_width)
                            }
                            _ => {
                                Err(
                                    Problem::unknown(
                                        "field",
                                        key,
                                        &["width", "type", key_line_width],
                                    ),
                                )
                            }
                        })?;
                        Ok(Self::Box {
                            width: given("width", field_width)?,
                            r#type: given("type", field_type)?,
                            line_width: given(key_line_width, field_line_width)?,
                        })
                    })
            }
            _ => Err(Problem::unknown("case", name, &["Point", "Circle", "Line", "Box"])),
        })
    }
}

impl ToJson for ::sample::Shape {
    fn write(&self, to: &mut Writer) {
        match self {
            Self::Point => write_bare_case("Point", to),
            Self::Circle(field_0) => write_case("Circle", |to| field_0.write(to), to),
            Self::Line(field_0, field_1) => {
                write_case("Line", |to| write_values(&[field_0, field_1], to), to)
            }
            Self::Box {
                width: field_width,
                r#type: field_type,
                line_width: field_line_width,
            } => {
                write_case(
                    "Box",
                    |to| write_record(
                        &[
                            ("width", field_width),
                            ("type", field_type),
                            (to.key("line_width", "lineWidth"), field_line_width),
                        ],
                        to,
                    ),
                    to,
                )
            }
        }
    }
}

impl FromJson for ::sample::Item {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        let mut field_id = None;
        let mut field_value = None;
        let mut field_type = None;
        let mut field_note = None;
        let mut field_data = None;
        let mut field_ratio = None;
        from.object(|from, key| match key {
            "id" => from.field("id", &mut field_id),
            "value" => from.field("value", &mut field_value),
            "type" => from.field("type", &mut field_type),
            "note" => from.field("note", &mut field_note),
            "data" => from.field("data", &mut field_data),
            "ratio" => from.field("ratio", &mut field_ratio),
            _ => {
                Err(
                    Problem::unknown(
                        "field",
                        key,
                        &["id", "value", "type", "note", "data", "ratio"],
                    ),
                )
            }
        })?;
        Ok(Self {
            id: given("id", field_id)?,
            value: given("value", field_value)?,
            r#type: given("type", field_type)?,
            note: given("note", field_note)?,
            data: given("data", field_data)?,
            ratio: given("ratio", field_ratio)?,
        })
    }
}

impl ToJson for ::sample::Item {
    fn write(&self, to: &mut Writer) {
        let Self {
            id: field_id,
            value: field_value,
            r#type: field_type,
            note: field_note,
            data: field_data,
            ratio: field_ratio,
        } = self;
        write_record(
            &[
                ("id", field_id),
                ("value", field_value),
                ("type", field_type),
                ("note", field_note),
                ("data", field_data),
                ("ratio", field_ratio),
            ],
            to,
        );
    }
}

impl FromJson for ::sample::Order {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        let key_due_date = from.key("due_date", "dueDate");
        let mut field_items = None;
        let mut field_counts = None;
        let mut field_shapes = None;
        let mut field_due_date = None;
        from.object(|from, key| match key {
            "items" => from.field("items", &mut field_items),
            "counts" => from.field("counts", &mut field_counts),
            "shapes" => from.field("shapes", &mut field_shapes),
            _ if key == key_due_date => from.field(key_due_date, &mut field_due_date),
            _ => {
                Err(
                    Problem::unknown(
                        "field",
                        key,
                        &["items", "counts", "shapes", key_due_date],
                    ),
                )
            }
        })?;
        Ok(Self {
            items: given("items", field_items)?,
            counts: given("counts", field_counts)?,
            shapes: given("shapes", field_shapes)?,
            due_date: given(key_due_date, field_due_date)?,
        })
    }
}

impl ToJson for ::sample::Order {
    fn write(&self, to: &mut Writer) {
        let Self {
            items: field_items,
            counts: field_counts,
            shapes: field_shapes,
            due_date: field_due_date,
        } = self;
        write_record(
            &[
                ("items", field_items),
                ("counts", field_counts),
                ("shapes", field_shapes),
                (to.key("due_date", "dueDate"), field_due_date),
            ],
            to,
        );
    }
}
