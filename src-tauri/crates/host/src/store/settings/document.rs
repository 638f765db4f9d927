//! The text of the settings as keys and values, without loss.
//!
//! No list of keys: what [`Settings`] serialises to says which keys there are and what their
//! defaults are, and a value is good when [`Settings`] can be read with it in place. So a new
//! setting needs nothing here.

use sandtray_core::settings::{SETTINGS_SCHEMA, Settings};
use toml::{Table, Value};
use toml_edit::{DocumentMut, Item, TableLike};

const SCHEMA: &str = "schema";

/// A parsed settings file with its comments.
#[derive(Debug, Default)]
pub(super) struct Document {
    root: DocumentMut,
}

/// What a document means.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) settings: Settings,
    /// Values that cannot be used, with the key and what is in force.
    pub(super) wrong: Vec<String>,
    /// Keys that mean nothing to us.
    pub(super) unknown: Vec<String>,
}

impl Document {
    /// Parses the text; the error names line and column.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(text).map_err(|cause| {
            let (line, column) = position(text, cause.valid_up_to());
            format!("line {line}, column {column}: it is not UTF-8 text")
        })?;
        let root = text.parse::<DocumentMut>().map_err(|cause| {
            let start = cause.span().map_or(0, |span| span.start);
            let (line, column) = position(text.as_bytes(), start);
            format!(
                "line {line}, column {column}: {}",
                cause.message().replace('\n', ", ")
            )
        })?;
        Ok(Self { root })
    }

    /// The schema number, where it is higher than ours.
    pub(super) fn newer(&self) -> Option<u64> {
        let schema = self.root.get(SCHEMA)?.as_integer()?;
        let schema = u64::try_from(schema).ok()?;
        (schema > u64::from(SETTINGS_SCHEMA)).then_some(schema)
    }

    /// The text to store.
    pub(super) fn text(&self) -> String {
        self.root.to_string()
    }

    /// Reads value by value: one that is wrong costs only itself.
    pub(super) fn read(&self) -> Reading {
        let mut tree = defaults();
        let mut wrong = Vec::new();
        let mut unknown = Vec::new();
        for (key, item) in self.root.iter() {
            match (tree.get(key), item.as_table_like()) {
                (None, _) if key == SCHEMA => {
                    if item.as_integer().is_none_or(|schema| schema < 1) {
                        wrong.push(format!(
                            "{SCHEMA}: it is no number; {SETTINGS_SCHEMA} is assumed"
                        ));
                    }
                }
                (None, _) => unknown.push(key.to_owned()),
                (Some(Value::Table(known)), Some(table)) => {
                    let known = known.clone();
                    for (inner, item) in table.iter() {
                        let name = format!("{key}.{inner}");
                        if known.contains_key(inner) {
                            wrong.extend(take(&mut tree, &[key, inner], &name, item));
                        } else {
                            unknown.push(name);
                        }
                    }
                }
                (Some(_), _) => wrong.extend(take(&mut tree, &[key], key, item)),
            }
        }
        Reading {
            settings: tree.try_into().unwrap_or_default(),
            wrong,
            unknown,
        }
    }

    /// Writes the values in which the settings differ from `before`: those that are the default are
    /// removed. An error says what cannot be written.
    pub(super) fn change(&mut self, before: &Settings, after: &Settings) -> Result<(), String> {
        let defaults = defaults();
        let (before, after) = (tree(before)?, tree(after)?);
        if self.root.get(SCHEMA).is_none() {
            self.root
                .insert(SCHEMA, toml_edit::value(i64::from(SETTINGS_SCHEMA)));
        }
        for (key, value) in &after {
            match (value, defaults.get(key), before.get(key)) {
                (Value::Table(after), Some(Value::Table(defaults)), Some(Value::Table(before))) => {
                    if after == before {
                        continue;
                    }
                    let item = self.root.entry(key).or_insert_with(toml_edit::table);
                    if !item.is_table_like() {
                        *item = toml_edit::table();
                    }
                    let Some(table) = item.as_table_like_mut() else {
                        continue;
                    };
                    for (inner, value) in after {
                        if before.get(inner) != Some(value) {
                            put(table, inner, value, defaults.get(inner))?;
                        }
                    }
                    if table.is_empty() {
                        self.root.remove(key);
                    }
                }
                (value, default, before) if before != Some(value) => {
                    put(self.root.as_table_mut(), key, value, default)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn defaults() -> Table {
    tree(&Settings::default()).unwrap_or_default()
}

fn tree(settings: &Settings) -> Result<Table, String> {
    Table::try_from(settings).map_err(|cause| cause.to_string())
}

/// Puts a value of the file in the tree, if the settings can be read with it; else says why not.
fn take(tree: &mut Table, path: &[&str], name: &str, item: &Item) -> Option<String> {
    let mut attempt = tree.clone();
    let place = match path {
        [key] => attempt.get_mut(*key),
        [key, inner] => attempt
            .get_mut(*key)
            .and_then(Value::as_table_mut)
            .and_then(|table| table.get_mut(*inner)),
        _ => None,
    }?;
    let default = place.clone();
    let failed = match item.as_value().and_then(read_value) {
        None => Some("it is not a value we know here".to_owned()),
        Some(value) => {
            *place = value;
            match attempt.clone().try_into::<Settings>() {
                Ok(_) => {
                    *tree = attempt;
                    None
                }
                Err(cause) => Some(cause.message().replace('\n', ", ")),
            }
        }
    };
    failed.map(|cause| format!("{name}: {cause}; {default} is in force"))
}

fn read_value(value: &toml_edit::Value) -> Option<Value> {
    match value {
        toml_edit::Value::String(text) => Some(Value::String(text.value().clone())),
        toml_edit::Value::Integer(number) => Some(Value::Integer(*number.value())),
        toml_edit::Value::Float(number) => Some(Value::Float(*number.value())),
        toml_edit::Value::Boolean(yes) => Some(Value::Boolean(*yes.value())),
        toml_edit::Value::Array(values) => values
            .iter()
            .map(read_value)
            .collect::<Option<_>>()
            .map(Value::Array),
        toml_edit::Value::Datetime(_) | toml_edit::Value::InlineTable(_) => None,
    }
}

/// Sets a key, or removes it where it has its default; a comment behind the old value stays.
fn put(
    table: &mut dyn TableLike,
    key: &str,
    value: &Value,
    default: Option<&Value>,
) -> Result<(), String> {
    if default == Some(value) {
        table.remove(key);
        return Ok(());
    }
    let mut new =
        write_value(value).ok_or_else(|| format!("{key} has a value of no known form"))?;
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        *new.decor_mut() = old.decor().clone();
    }
    match table.get_mut(key) {
        Some(item) => *item = Item::Value(new),
        None => drop(table.insert(key, Item::Value(new))),
    }
    Ok(())
}

fn write_value(value: &Value) -> Option<toml_edit::Value> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Integer(number) => Some((*number).into()),
        Value::Float(number) => Some((*number).into()),
        Value::Boolean(yes) => Some((*yes).into()),
        Value::Array(values) => values
            .iter()
            .map(write_value)
            .collect::<Option<toml_edit::Array>>()
            .map(toml_edit::Value::Array),
        Value::Datetime(_) | Value::Table(_) => None,
    }
}

/// Line and column of a byte, both from one.
fn position(text: &[u8], at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    (line, column)
}
