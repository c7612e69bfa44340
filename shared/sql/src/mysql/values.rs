//! Values of MySQL, from JSON and to JSON.

use mysql_common::Value as SqlValue;
use mysql_common::constants::ColumnType;
use mysql_common::packets::Column;
use serde_json::Value;

use super::is_binary;
use crate::rows::{bytes, float, integer, json};

/// A value for a placeholder. The server converts it to the type of the column: lists and objects are the text of their JSON.
pub fn from_json(value: &Value) -> SqlValue {
    match value {
        Value::Null => SqlValue::NULL,
        Value::Bool(is) => SqlValue::Int((*is).into()),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(integer), ..) => SqlValue::Int(integer),
            (_, Some(integer), _) => SqlValue::UInt(integer),
            (.., Some(double)) => SqlValue::Double(double),
            _ => SqlValue::Bytes(number.to_string().into()),
        },
        Value::String(text) => SqlValue::Bytes(text.as_bytes().to_vec()),
        other => SqlValue::Bytes(other.to_string().into()),
    }
}

pub fn to_json(value: SqlValue, column: &Column) -> Value {
    match value {
        SqlValue::NULL => Value::Null,
        SqlValue::Int(value) => integer(value.into()),
        SqlValue::UInt(value) => integer(value.into()),
        SqlValue::Float(value) => float(&value.to_string()),
        SqlValue::Double(value) => float(&value.to_string()),
        SqlValue::Date(year, month, day, hour, minute, second, micros) => {
            let date = format!("{year:04}-{month:02}-{day:02}");
            if column.column_type() == ColumnType::MYSQL_TYPE_DATE {
                return date.into();
            }
            // Only a TIMESTAMP is a point in time, which the session has in UTC.
            let is_time = column.column_type() == ColumnType::MYSQL_TYPE_TIMESTAMP && month > 0;
            let zone = if is_time { "Z" } else { "" };
            format!("{date}T{hour:02}:{minute:02}:{second:02}{}{zone}", fraction(micros)).into()
        }
        SqlValue::Time(is_negative, days, hours, minutes, seconds, micros) => {
            let sign = if is_negative { "-" } else { "" };
            let hours = u64::from(days) * 24 + u64::from(hours);
            format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{}", fraction(micros)).into()
        }
        SqlValue::Bytes(read) => text_or_bytes(read, column),
    }
}

fn text_or_bytes(read: Vec<u8>, column: &Column) -> Value {
    match column.column_type() {
        ColumnType::MYSQL_TYPE_BIT => {
            let digits: String = read.iter().map(|byte| format!("{byte:08b}")).collect();
            let length = (column.column_length() as usize).min(digits.len());
            return digits[digits.len() - length..].into();
        }
        ColumnType::MYSQL_TYPE_GEOMETRY => return bytes(&read),
        ColumnType::MYSQL_TYPE_JSON => return json(&String::from_utf8_lossy(&read)),
        ColumnType::MYSQL_TYPE_DECIMAL | ColumnType::MYSQL_TYPE_NEWDECIMAL => {
            return String::from_utf8_lossy(&read).into();
        }
        _ => {}
    }
    match String::from_utf8(read) {
        Ok(text) if !is_binary(column) => text.into(),
        Ok(text) => bytes(text.as_bytes()),
        Err(error) => bytes(error.as_bytes()),
    }
}

/// Six digits, without zeros at the end.
fn fraction(micros: u32) -> String {
    match micros {
        0 => String::new(),
        micros => format!(".{micros:06}").trim_end_matches('0').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_json() {
        let bits = Column::new(ColumnType::MYSQL_TYPE_BIT).with_column_length(10);
        let (date, time) = (ColumnType::MYSQL_TYPE_DATE, ColumnType::MYSQL_TYPE_TIMESTAMP);
        let moment = SqlValue::Date(2026, 3, 2, 10, 0, 0, 500_000);
        for (value, column, wanted) in [
            (SqlValue::Bytes(vec![0b10, 0b1]), bits, json!("1000000001")),
            (SqlValue::Date(2026, 3, 2, 0, 0, 0, 0), Column::new(date), json!("2026-03-02")),
            (moment.clone(), Column::new(time), json!("2026-03-02T10:00:00.5Z")),
            (moment, Column::new(ColumnType::MYSQL_TYPE_DATETIME), json!("2026-03-02T10:00:00.5")),
            (SqlValue::Date(0, 0, 0, 0, 0, 0, 0), Column::new(time), json!("0000-00-00T00:00:00")),
            (SqlValue::Time(true, 2, 3, 4, 5, 0), Column::new(ColumnType::MYSQL_TYPE_TIME), json!("-51:04:05")),
            (SqlValue::UInt(u64::MAX), Column::new(ColumnType::MYSQL_TYPE_LONGLONG), json!("18446744073709551615")),
            (SqlValue::Float(0.1), Column::new(ColumnType::MYSQL_TYPE_FLOAT), json!(0.1)),
        ] {
            assert_eq!(to_json(value, &column), wanted);
        }
    }
}
